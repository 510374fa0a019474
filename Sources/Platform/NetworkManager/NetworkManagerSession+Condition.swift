import COkaeriGIO
import COkaeriNetworkManager
import OkaeriDBus
import OkaeriWiFi

/// Whether a network can be joined: the survey, with a scan if no access point is received, and the permission.
extension NetworkManagerSession {
    /// For the answer to what this user may do.
    private static let permissionLimit = Duration.seconds(3)

    /// Before a scan that was turned down is asked for again: another one runs.
    private static let scanRetry = Duration.seconds(2)

    func condition(ofJoining network: HomeNetwork) async -> NetworkCondition {
        observed.insert(network.name.bytes)
        switch await assess(network) {
        case .connected: return .alreadyConnected
        case .connecting: return .connecting
        case .ready(let plan):
            return .ready(
                JoinReadiness(
                    credentials: plan.credentials, strength: plan.strength, otherConnection: otherConnection,
                    replacesWeakTwin: plan.replacesWeakTwin,
                    isDisconnectedByUser: isDisconnectedByUser(plan.device.pointer)))
        case .unavailable(.radioOff) where canSwitch && mayHaveCredentials(network):
            return .switchedOff(
                isCountryUnset: RegulatoryDomain().isCountryUnset, otherConnection: otherConnection)
        case .unavailable(let failure): return .unavailable(failure)
        }
    }

    /// The survey, after a scan if nothing of that name is heard, and with what this user may do.
    ///
    /// - Parameters:
    ///   - unusable: The profiles, by UUID, to do without.
    ///   - takesOver: Whether to replace a connection to the network that has begun.
    func assess(
        _ network: HomeNetwork, without unusable: Set<String> = [], takingOver takesOver: Bool = false
    ) async -> Survey {
        await wait(until: .now + limits.start) { isStarted || gate.isClosed }
        await wait(until: .now + limits.start) { !isGettingReady || gate.isClosed }
        var found = survey(network, without: unusable, takingOver: takesOver)
        let ssid = network.name.bytes
        // First for everything: a name that only a scan directed at it brings in sight is hidden, and its profile will
        // ask for it aloud wherever it is. A twin without protection must not hide it: what was heard last may be old.
        if case .unavailable(let failure) = found, [.notInSight, .onlyUnsecuredInSight].contains(failure.code) {
            await scan(for: ssid, isDirected: false)
            found = survey(network, without: unusable, takingOver: takesOver)
        }
        if case .unavailable(let failure) = found, failure.code == .notInSight {
            await scan(for: ssid, isDirected: true)
            found = survey(network, without: unusable, takingOver: takesOver)
        }
        if found.needsPermission, !isPermissionKnown {
            await learnPermissions()
            // A device that was idle may have connected meanwhile.
            found = survey(network, without: unusable, takingOver: takesOver)
        }
        guard case .ready(let plan) = found else { return found }
        return isPermitted(plan) ? found : .unavailable(.noPermission)
    }

    private var isPermissionKnown: Bool {
        client.map { nm_client_get_permissions_state($0.pointer) == NM_TERNARY_TRUE } ?? true
    }

    /// Whether NetworkManager allows it to this user without a password: a service cannot ask for one.
    private func isPermitted(_ plan: JoinPlan) -> Bool {
        mayControl && (plan.passphrase == nil || isAllowed(NM_CLIENT_PERMISSION_SETTINGS_MODIFY_SYSTEM))
    }

    var mayControl: Bool { isAllowed(NM_CLIENT_PERMISSION_NETWORK_CONTROL) }

    private func isAllowed(_ permission: NMClientPermission) -> Bool {
        guard let client else { return true }
        let result = nm_client_get_permission_result(client.pointer, permission)
        return result == NM_CLIENT_PERMISSION_RESULT_YES || result == NM_CLIENT_PERMISSION_RESULT_UNKNOWN
    }

    /// Whether this user may switch Wi-Fi on and off, without a password.
    var canSwitch: Bool {
        guard let client else { return false }
        return nm_client_get_permission_result(client.pointer, NM_CLIENT_PERMISSION_ENABLE_DISABLE_WIFI)
            == NM_CLIENT_PERMISSION_RESULT_YES
    }

    /// Waits until it is known what this user may do.
    func learnPermissions() async {
        await wait(until: .now + Self.permissionLimit) { isPermissionKnown || gate.isClosed }
    }

    /// Whether there may be something to join the network with, before its access points are known.
    private func mayHaveCredentials(_ network: HomeNetwork) -> Bool {
        network.passphraseFile != nil
            || profiles(of: network.name.bytes).contains { isOfStation($0) && isRobust($0) }
    }

    private func scan(for ssid: [UInt8], isDirected: Bool) async {
        await scan(for: ssid, isDirected: isDirected, on: (try? stations().get()) ?? [])
    }

    /// Scans on these devices, until a protected network of that name is heard or every scan is over or the time is up.
    func scan(for ssid: [UInt8]?, isDirected: Bool = false, on devices: [OpaquePointer]) async {
        let deadline = ContinuousClock.now + limits.scan
        var waiting = devices.map {
            (device: GObjectReference(sharing: $0), last: nm_device_wifi_get_last_scan($0), isAccepted: false)
        }
        while !waiting.isEmpty, .now < deadline, !gate.isClosed {
            for index in waiting.indices where !waiting[index].isAccepted {
                waiting[index].isAccepted = await requestScan(
                    waiting[index].device, isDirected ? ssid : nil, until: deadline)
            }
            let retry = waiting.allSatisfy(\.isAccepted) ? deadline : min(deadline, .now + Self.scanRetry)
            await wait(until: retry) {
                waiting.removeAll { $0.isAccepted && nm_device_wifi_get_last_scan($0.device.pointer) != $0.last }
                return waiting.isEmpty || ssid.map(isHeard) == true || gate.isClosed
            }
            if let ssid, isHeard(ssid) {
                if isDirected { foundByDirectedScan.insert(ssid) }
                return
            }
        }
    }

    private func isHeard(_ ssid: [UInt8]) -> Bool {
        wifiDevices().contains { device in
            isStation(device) && accessPoints(device, named: ssid).contains { security($0).isRobust }
        }
    }

    /// Whether NetworkManager will scan, for everything or for one name. Its answer has nothing else; the end shows in `last-scan`.
    private func requestScan(
        _ device: GObjectReference, _ ssid: [UInt8]?, until deadline: ContinuousClock.Instant
    ) async -> Bool {
        let accepted = await call(within: ContinuousClock.now.duration(to: deadline)) { cancellable, callback, data in
            let options = ssid.flatMap { okaeri_scan_options($0, gsize($0.count)) }
            nm_device_wifi_request_scan_options_async(device.pointer, options, cancellable, callback, data)
        } finish: { source, result, error in
            nm_device_wifi_request_scan_finish(source, result, error) != 0 ? true : nil
        }
        guard case .success = accepted else { return false }
        return true
    }
}
