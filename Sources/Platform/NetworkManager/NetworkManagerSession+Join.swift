import COkaeriGIO
import COkaeriNetworkManager
import FoundationEssentials
import Glibc
import OkaeriDBus
import OkaeriWiFi

extension NetworkManagerSession {
    /// The time for the device to report its reason, after the connection has reported a failure.
    private static let reasonLimit = Duration.milliseconds(500)

    func join(_ network: HomeNetwork) async -> Result<JoinedNetwork, JoinFailure> {
        let deadline = ContinuousClock.now + limits.join
        let result = await attempt(network)
        // Weak reception, or an access point that begins anew.
        guard case .failure(let failure) = result, failure.isLostLink, !gate.isClosed, .now < deadline else {
            return result
        }
        return await attempt(network)
    }

    /// The number of credentials that one join tries.
    private static let mostCredentials = 4

    /// Tries the saved profiles, the one used last first, and then the passphrase file, until one of them is accepted.
    private func attempt(_ network: HomeNetwork) async -> Result<JoinedNetwork, JoinFailure> {
        var failed: Set<String> = []
        var first: JoinFailure?
        var takesOver = false
        while true {
            switch await assess(network, without: failed, takingOver: takesOver) {
            case .connected(let device):
                return .success(JoinedNetwork(ssid: network.ssid, device: device, credentials: nil))
            case .connecting:
                // A connection of another program that hangs is begun anew.
                await wait(until: .now + limits.join) { gate.isClosed || !isAnyConnecting(to: network) }
                if gate.isClosed { return .failure(.interrupted) }
                takesOver = true
            case .unavailable(let failure):
                return .failure(gate.isClosed ? .interrupted : first ?? failure)
            case .ready(let plan):
                if let profile = plan.profile, let source = plan.passphrase, await isCurrent(profile, source) {
                    return .failure(first ?? .wrongPassphrase(ssid: network.ssid))
                }
                do throws(JoinFailure) {
                    try await carryOut(plan, network)
                    let device = name(plan.device.pointer)
                    return .success(
                        JoinedNetwork(ssid: network.ssid, device: device, credentials: plan.credentials))
                } catch {
                    guard error.isOfCredentials, plan.passphrase == nil, let profile = plan.profile else {
                        return .failure(error)
                    }
                    first = first ?? error
                    failed.insert(uuid(profile.pointer))
                    if failed.count >= Self.mostCredentials { return .failure(error) }
                }
            }
        }
    }

    private func isAnyConnecting(to network: HomeNetwork) -> Bool {
        isManagerRunning && wifiDevices().contains { isConnecting($0, to: network.name.bytes) }
    }

    func carryOut(_ plan: JoinPlan, _ network: HomeNetwork) async throws(JoinFailure) {
        guard let client else { throw .interrupted }
        let deadline = ContinuousClock.now + limits.join
        let journal = DeviceJournal(changes: changes)
        let handler = SignalHandler.deviceState(plan.device, journal)
        defer { withExtendedLifetime(handler) {} }

        if let profile = plan.profile {
            if let passphrase = plan.passphrase { try await renew(profile, passphrase, network) }
            let active = await activate(profile, plan, client, until: deadline)
            try await follow(active, of: uuid(profile.pointer), plan, network, journal, until: deadline)
            return
        }
        let uuid = try newUUID()
        let profile = try newProfile(plan, network, uuid: uuid)
        let active = await add(profile, plan, client, until: deadline)
        do throws(JoinFailure) {
            try await follow(active, of: uuid, plan, network, journal, until: deadline)
        } catch {
            // Unless NetworkManager refused, the profile is there, or may come yet.
            if case .failure(let failure) = active, !failure.isUncertain { throw error }
            await receiveSentSignals()
            // The network has accepted the passphrase. To delete the profile now would also end the request for an address.
            if case .success(let active) = active, isRequestingAddress(active, plan) { throw error }
            await forget(uuid)
            throw error
        }
    }

    /// Waits until the signals that NetworkManager has sent are handled: D-Bus delivers the answer to a call behind them.
    private func receiveSentSignals() async {
        guard let bus else { return }
        let _: Result<Bool, CallFailure> = await call(within: Self.reasonLimit, endsWithService: false) {
            cancellable, callback, data in
            g_dbus_connection_call(
                bus.pointer, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.Peer", "Ping", nil,
                nil, .noFlags, -1, cancellable, callback, data)
        } finish: { source, result, error in
            guard let answer = g_dbus_connection_call_finish(source, result, error) else { return nil }
            g_variant_unref(answer)
            return true
        }
    }

    /// Whether a profile has that passphrase already.
    private func isCurrent(_ profile: GObjectReference, _ source: PassphraseSource) async -> Bool {
        guard case .success(let stored?) = await passphrase(of: profile) else { return false }
        let isSame = try? source.withCString { text in stored.withCString { strcmp($0, text) == 0 } }
        return isSame ?? false
    }

    /// Brings a profile that was made from the passphrase file up to date.
    private func renew(
        _ profile: GObjectReference, _ source: PassphraseSource, _ network: HomeNetwork
    ) async throws(JoinFailure) {
        let settings: OpaquePointer?
        do throws(PassphraseFileError) {
            settings = try source.withCString { okaeri_profile_renewed(profile.pointer, $0) }
        } catch {
            throw .passphraseFile(error)
        }
        let updated = await call(within: limits.join) { cancellable, callback, data in
            nm_remote_connection_update2(
                profile.pointer, settings, NM_SETTINGS_UPDATE2_FLAG_TO_DISK, nil, cancellable, callback, data)
        } finish: { source, result, error in
            nm_remote_connection_update2_finish(source, result, error).map { answer in
                g_variant_unref(answer)
                return true
            }
        }
        if case .failure(let failure) = updated, let reason = reason(failure, network) { throw reason }
    }

    /// Returns the reason why a call failed; `nil` if it succeeded and only its result was not seen.
    func reason(_ failure: CallFailure, _ network: HomeNetwork) -> JoinFailure? {
        switch failure {
        case .vanished: nil
        case .denied: .noPermission
        case .gone: .interrupted
        case .cancelled: gate.isClosed || !isManagerRunning ? .interrupted : .timedOut(ssid: network.ssid)
        case .refused(let message): isManagerRunning ? .refused(message: message) : .interrupted
        }
    }

    func newUUID() throws(JoinFailure) -> String {
        guard let uuid = nm_utils_uuid_generate() else { throw .interrupted }
        defer { g_free(uuid) }
        return String(cString: uuid)
    }

    func newProfile(
        _ plan: JoinPlan, _ network: HomeNetwork, uuid: String
    ) throws(JoinFailure) -> GObjectReference {
        guard let source = plan.passphrase else { throw .noCredentials(ssid: network.ssid) }
        let ssid = network.name.bytes
        let isHidden: gboolean = foundByDirectedScan.contains(ssid) ? 1 : 0
        let keyManagement = plan.keys.contains(.psk) ? "wpa-psk" : "sae"
        let pointer: OpaquePointer?
        do throws(PassphraseFileError) {
            pointer = try source.withCString {
                okaeri_profile_new(network.ssid, uuid, ssid, gsize(ssid.count), keyManagement, $0, isHidden)
            }
        } catch {
            throw .passphraseFile(error)
        }
        guard let profile = GObjectReference(taking: pointer) else { throw .interrupted }
        return profile
    }

    private func activate(
        _ profile: GObjectReference, _ plan: JoinPlan, _ client: GObjectReference,
        until deadline: ContinuousClock.Instant
    ) async -> Result<GObjectReference, CallFailure> {
        await call(within: ContinuousClock.now.duration(to: deadline)) { cancellable, callback, data in
            nm_client_activate_connection_async(
                client.pointer, profile.pointer, plan.device.pointer, plan.accessPointPath, cancellable, callback, data)
        } finish: { source, result, error in
            GObjectReference(taking: nm_client_activate_connection_finish(source, result, error))
        }
    }

    private func add(
        _ profile: GObjectReference, _ plan: JoinPlan, _ client: GObjectReference,
        until deadline: ContinuousClock.Instant
    ) async -> Result<GObjectReference, CallFailure> {
        await call(within: ContinuousClock.now.duration(to: deadline)) { cancellable, callback, data in
            nm_client_add_and_activate_connection2(
                client.pointer, profile.pointer, plan.device.pointer, plan.accessPointPath, nil, cancellable, callback,
                data)
        } finish: { source, result, error in
            GObjectReference(taking: nm_client_add_and_activate_connection2_finish(source, result, nil, error))
        }
    }

    /// The start of the activation proves nothing yet: waits for its end.
    private func follow(
        _ active: Result<GObjectReference, CallFailure>, of uuid: String, _ plan: JoinPlan, _ network: HomeNetwork,
        _ journal: DeviceJournal, until deadline: ContinuousClock.Instant
    ) async throws(JoinFailure) {
        switch active {
        case .success(let active):
            let handler = SignalHandler.notify(active, changes)
            defer { withExtendedLifetime(handler) {} }
            let path = nm_object_get_path(active.pointer).map { String(cString: $0) } ?? uuid
            await end(of: active, plan, until: deadline, journal, path)
            if isActivated(active) { return }
            guard !gate.isClosed, isManagerRunning else { throw .interrupted }
            if isUnderWay(active), journal.failure(of: path) == nil {
                throw isRequestingAddress(active, plan) ? .noAddress(ssid: network.ssid) : .timedOut(ssid: network.ssid)
            }
            await wait(until: .now + Self.reasonLimit) { journal.failure(of: path) != nil }
            guard isManagerRunning else { throw .interrupted }
            let reason = nm_active_connection_get_state_reason(active.pointer)
            throw failure(journal, path, reason, plan, network)
        case .failure(let failure):
            if let reason = reason(failure, network) { throw reason }
            guard isManagerRunning else { throw .interrupted }
            throw self.failure(journal, uuid, NM_ACTIVE_CONNECTION_STATE_REASON_UNKNOWN, plan, network)
        }
    }

    /// Waits for the end of the activation: until the deadline, or as long as the profile allows for an address.
    private func end(
        of active: GObjectReference, _ plan: JoinPlan, until deadline: ContinuousClock.Instant,
        _ journal: DeviceJournal, _ path: String
    ) async {
        await wait(until: deadline) { isOver(active, journal, path) || isRequestingAddress(active, plan) }
        guard isRequestingAddress(active, plan) else { return }
        await wait(until: .now + addressLimit(active) + limits.addressMargin) { isOver(active, journal, path) }
    }

    private func isOver(_ active: GObjectReference, _ journal: DeviceJournal, _ path: String) -> Bool {
        !isUnderWay(active) || journal.failure(of: path) != nil || gate.isClosed
    }

    private func isRequestingAddress(_ active: GObjectReference, _ plan: JoinPlan) -> Bool {
        isUnderWay(active) && DeviceState.addressing.contains(nm_device_get_state(plan.device.pointer).rawValue)
    }

    func isActivated(_ active: GObjectReference) -> Bool {
        nm_active_connection_get_state(active.pointer) == NM_ACTIVE_CONNECTION_STATE_ACTIVATED
    }

    func isUnderWay(_ active: GObjectReference) -> Bool {
        // Without a client NetworkManager's list no longer has it.
        guard isManagerRunning, nm_object_get_client(active.pointer) != nil else { return false }
        let state = nm_active_connection_get_state(active.pointer)
        return state == NM_ACTIVE_CONNECTION_STATE_ACTIVATING || state == NM_ACTIVE_CONNECTION_STATE_UNKNOWN
    }

    private func failure(
        _ journal: DeviceJournal, _ connection: String, _ reason: NMActiveConnectionStateReason, _ plan: JoinPlan,
        _ network: HomeNetwork
    ) -> JoinFailure {
        if let client, nm_client_wireless_hardware_get_enabled(client.pointer) == 0 { return .hardwareSwitchOff }
        if let client, nm_client_wireless_get_enabled(client.pointer) == 0 { return .radioOff }
        let failure: JoinFailure
        let isWithoutSecrets: Bool
        if let end = journal.end(of: connection) {
            let name = okaeri_device_reason_name(end.reason).map { String(cString: $0) }
            failure = JoinFailure(end, name: name ?? "unknown", ssid: network.ssid)
            isWithoutSecrets = end.reason == NM_DEVICE_STATE_REASON_NO_SECRETS.rawValue
        } else {
            failure = JoinFailure(connectionReason: reason, ssid: network.ssid)
            isWithoutSecrets = reason == NM_ACTIVE_CONNECTION_STATE_REASON_NO_SECRETS
        }
        guard failure.code == .wrongPassphrase else { return failure }
        if isWithoutSecrets, let profile = plan.profile?.pointer, !hasPassphrase(profile) {
            return .secretUnavailable(profile: id(profile))
        }
        guard isReceptionInDoubt(plan) else { return failure }
        let profile = plan.profile?.pointer
        return .handshakeFailed(
            ssid: network.ssid, strength: plan.strength, profile: profile.map(id),
            lastConnected: profile.map(lastUse).flatMap { $0 > 0 ? Self.day($0) : nil },
            transitionDriver: plan.keys.isSuperset(of: [.psk, .sae])
                ? nm_device_get_driver(plan.device.pointer).map { String(cString: $0) } : nil)
    }

    /// Returns a date such as 2026-11-28, UTC.
    private static func day(_ seconds: UInt64) -> String {
        Date(timeIntervalSince1970: Double(seconds)).formatted(Date.ISO8601FormatStyle().year().month().day())
    }

    /// Whether the passphrase may be right: at the edge of a network lost frames give the same reason as a wrong one.
    private func isReceptionInDoubt(_ plan: JoinPlan) -> Bool {
        plan.strength < SignalStrength.reliable
            || plan.passphrase == nil && plan.profile.map { lastUse($0.pointer) > 0 } == true
    }
}

extension JoinFailure {
    init(_ end: DeviceJournal.End, name: String, ssid: String) {
        switch NMDeviceStateReason(end.reason) {
        // Without an agent that could ask for another passphrase, a refused one ends as "no secrets"; so does a link that broke
        // off after it was taken.
        case NM_DEVICE_STATE_REASON_NO_SECRETS where end.wasAssociated:
            self = .other(
                reason: Int(NM_DEVICE_STATE_REASON_SUPPLICANT_DISCONNECT.rawValue), name: "supplicant-disconnect")
        case NM_DEVICE_STATE_REASON_NO_SECRETS, NM_DEVICE_STATE_REASON_SUPPLICANT_DISCONNECT,
            NM_DEVICE_STATE_REASON_SUPPLICANT_TIMEOUT:
            self =
                end.wasAssociated
                ? .other(reason: Int(end.reason), name: name) : .wrongPassphrase(ssid: ssid)
        case NM_DEVICE_STATE_REASON_SSID_NOT_FOUND:
            self = .notInSight(ssid: ssid)
        case NM_DEVICE_STATE_REASON_IP_CONFIG_UNAVAILABLE, NM_DEVICE_STATE_REASON_IP_CONFIG_EXPIRED,
            NM_DEVICE_STATE_REASON_DHCP_START_FAILED, NM_DEVICE_STATE_REASON_DHCP_ERROR,
            NM_DEVICE_STATE_REASON_DHCP_FAILED, NM_DEVICE_STATE_REASON_IP_ADDRESS_DUPLICATE:
            self = .noAddress(ssid: ssid)
        case NM_DEVICE_STATE_REASON_REMOVED:
            self = .noWiFiDevice
        // NetworkManager lets go of its devices when it stops, a little before it is gone.
        // wpa_supplicant ends while it is upgraded, and is soon back.
        case NM_DEVICE_STATE_REASON_SLEEPING, NM_DEVICE_STATE_REASON_NOW_UNMANAGED,
            NM_DEVICE_STATE_REASON_SUPPLICANT_FAILED, NM_DEVICE_STATE_REASON_SUPPLICANT_AVAILABLE:
            self = .interrupted
        default:
            self = .other(reason: Int(end.reason), name: name)
        }
    }

    /// Whether the access point had taken the passphrase, and the connection broke off: the next attempt may succeed.
    var isLostLink: Bool {
        guard let reason else { return false }
        let lost = [NM_DEVICE_STATE_REASON_SUPPLICANT_DISCONNECT, NM_DEVICE_STATE_REASON_SUPPLICANT_TIMEOUT]
        return lost.contains { Int($0.rawValue) == reason }
    }

    /// - Parameter reason: The reason why the connection was deactivated, if the device gives none.
    init(connectionReason reason: NMActiveConnectionStateReason, ssid: String) {
        switch reason {
        case NM_ACTIVE_CONNECTION_STATE_REASON_NO_SECRETS, NM_ACTIVE_CONNECTION_STATE_REASON_LOGIN_FAILED:
            self = .wrongPassphrase(ssid: ssid)
        case NM_ACTIVE_CONNECTION_STATE_REASON_IP_CONFIG_INVALID:
            self = .noAddress(ssid: ssid)
        case NM_ACTIVE_CONNECTION_STATE_REASON_CONNECT_TIMEOUT:
            self = .timedOut(ssid: ssid)
        case NM_ACTIVE_CONNECTION_STATE_REASON_DEVICE_REMOVED:
            self = .noWiFiDevice
        case NM_ACTIVE_CONNECTION_STATE_REASON_SERVICE_STOPPED:
            self = .interrupted
        default:
            self = .other(reason: Int(reason.rawValue), name: "the connection was deactivated")
        }
    }
}
