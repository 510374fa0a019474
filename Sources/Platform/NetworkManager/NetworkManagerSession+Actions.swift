import COkaeriGIO
import COkaeriNetworkManager
import OkaeriDBus
import OkaeriWiFi

/// The actions of arrivals and departures.
extension NetworkManagerSession {
    /// For NetworkManager to switch Wi-Fi or to end a connection, and for a device to be ready afterwards.
    private static let switchLimit = Duration.seconds(10)

    func condition(of network: HomeNetwork, for action: NetworkAction) async -> NetworkCondition {
        guard action != .join else { return await condition(ofJoining: network) }
        await wait(until: .now + limits.start) { isStarted || gate.isClosed }
        await wait(until: .now + limits.start) { !isGettingReady || gate.isClosed }
        guard isManagerRunning else { return .unavailable(.noNetworkManager) }
        await learnPermissions()
        guard let client else { return .unavailable(.noNetworkManager) }
        let isOn = nm_client_wireless_get_enabled(client.pointer) != 0
        switch action {
        case .join: return .unavailable(.interrupted)
        case .hotspot: return hotspotCondition(network)
        case .radioOn:
            if isOn { return .alreadyConnected }
            let isBlocked = nm_client_wireless_hardware_get_enabled(client.pointer) == 0
            return isBlocked
                ? .unavailable(.hardwareSwitchOff)
                : canSwitch ? .ready(JoinReadiness()) : .unavailable(.noPermission)
        case .leave, .hotspotOff:
            let ended = connections(network, action)
            if ended.isEmpty, temporaryProfiles(network).isEmpty { return .alreadyConnected }
            return mayControl ? await ready(ending: ended.map(\.device)) : .unavailable(.noPermission)
        case .radioOff:
            if !isOn { return .alreadyConnected }
            return canSwitch ? await ready(ending: wifiDevices()) : .unavailable(.noPermission)
        }
    }

    private func ready(ending devices: [OpaquePointer]) async -> NetworkCondition {
        let addresses = Set(devices.flatMap(addresses))
        return .ready(JoinReadiness(isLoggedInOver: await isLoggedIn(over: addresses)))
    }

    private func hotspotCondition(_ network: HomeNetwork) -> NetworkCondition {
        guard let profile = hotspotProfile(network) else {
            return .unavailable(.noHotspotProfile(ssid: network.ssid))
        }
        if let active = active(withProfile: uuid(profile)) {
            return nm_active_connection_get_state(active) == NM_ACTIVE_CONNECTION_STATE_ACTIVATED
                ? .alreadyConnected : .connecting
        }
        switch usableDevices() {
        case .failure(.radioOff) where canSwitch: return .switchedOff()
        case .failure(let failure): return .unavailable(failure)
        case .success(let devices):
            guard mayControl else { return .unavailable(.noPermission) }
            switch device(forHotspot: devices, mayEndConnection: network.join.mayLeaveOtherNetwork) {
            case .failure(let failure): return .unavailable(failure)
            case .success(let device):
                return .ready(
                    JoinReadiness(
                        isDisconnectedByUser: isDisconnectedByUser(device), endsConnection: isInUse(device)))
            }
        }
    }

    func carryOut(
        _ action: NetworkAction, _ network: HomeNetwork, consent: ActionConsent
    ) async -> Result<JoinedNetwork, JoinFailure> {
        await beginAction()
        defer { endAction() }
        await wait(until: .now + limits.start) { isStarted || gate.isClosed }
        guard !gate.isClosed else { return .failure(.interrupted) }
        if consent.contains(.switchOn) || action == .radioOn, let failure = await switchWiFi(on: true, network) {
            return .failure(failure)
        }
        switch action {
        case .join: return await join(network)
        case .hotspot: return await openHotspot(network, endingConnection: consent.contains(.endConnection))
        case .radioOn: return done(network, on: wifiDevices().first)
        case .radioOff:
            guard await mayEnd(wifiDevices(), consent) else { return .failure(.userLoggedIn(ssid: network.ssid)) }
            let failure = await switchWiFi(on: false, network)
            return failure.map { .failure($0) } ?? done(network, on: wifiDevices().first)
        case .leave, .hotspotOff:
            guard await mayEnd(connections(network, action).map(\.device), consent) else {
                return .failure(.userLoggedIn(ssid: network.ssid))
            }
            return await endConnections(network, action)
        }
    }

    /// Whether no user is logged in over the devices, or that may end. A user may have logged in since the question.
    private func mayEnd(_ devices: [OpaquePointer], _ consent: ActionConsent) async -> Bool {
        if consent.contains(.endLogins) { return true }
        let addresses = Set(devices.flatMap(addresses))
        return await !isLoggedIn(over: addresses)
    }

    private func done(_ network: HomeNetwork, on device: OpaquePointer?) -> Result<JoinedNetwork, JoinFailure> {
        .success(JoinedNetwork(ssid: network.ssid, device: device.flatMap(name), credentials: nil))
    }

    // MARK: One at a time

    /// Waits until nothing else is carried out; ``endAction()`` follows.
    func beginAction() async {
        while isActing, !gate.isClosed { await change(past: changes.count, until: nil) }
        isActing = true
    }

    func endAction() {
        isActing = false
        changes.notify()
    }

    // MARK: The radio

    /// Switches Wi-Fi on or off, if it is not already, and waits for it. Returns the reason if that fails.
    private func switchWiFi(on: Bool, _ network: HomeNetwork) async -> JoinFailure? {
        guard let client, isManagerRunning else { return .noNetworkManager }
        guard (nm_client_wireless_get_enabled(client.pointer) != 0) != on else { return nil }
        let switched = await call(within: Self.switchLimit) { cancellable, callback, data in
            okaeri_switch_wifi_async(
                client.pointer, on ? 1 : 0, gint(Self.switchLimit / .milliseconds(1)), cancellable, callback, data)
        } finish: { source, result, error in
            okaeri_switch_wifi_finish(source, result, error) != 0 ? true : nil
        }
        if case .failure(let failure) = switched, let reason = reason(failure, network) { return reason }
        await wait(until: .now + Self.switchLimit) {
            let isOn = nm_client_wireless_get_enabled(client.pointer) != 0
            return gate.isClosed || isOn == on && (!on || wifiDevices().contains(where: isReady))
        }
        if gate.isClosed || !isManagerRunning { return .interrupted }
        return (nm_client_wireless_get_enabled(client.pointer) != 0) == on ? nil : .timedOut(ssid: network.ssid)
    }

    // MARK: The hotspot

    /// The profile of the hotspot that the configuration names, or that has the network's name, borrowed from the cache.
    func hotspotProfile(_ network: HomeNetwork) -> OpaquePointer? {
        profiles(of: network.name.bytes).first { profile in
            isOfAccessPoint(profile) && isRobust(profile) && (network.hotspot.map { $0 == id(profile) } ?? true)
        }
    }

    private func active(withProfile uuid: String) -> OpaquePointer? {
        client.flatMap { client in
            pointers(nm_client_get_active_connections(client.pointer)).first {
                nm_active_connection_get_uuid($0).map { String(cString: $0) } == uuid
            }
        }
    }

    /// A device for the hotspot, an idle one first.
    private func device(
        forHotspot devices: [OpaquePointer], mayEndConnection: Bool
    ) -> Result<OpaquePointer, JoinFailure> {
        if let idle = devices.first(where: { !isInUse($0) }) { return .success(idle) }
        guard mayEndConnection, let station = devices.first(where: isStation) else {
            let name = devices.first.flatMap(name) ?? "?"
            let isOther = devices.first.map(isStation) ?? true
            return .failure(isOther ? .connectedElsewhere(device: name) : .servesHotspot(device: name))
        }
        return .success(station)
    }

    private func isInUse(_ device: OpaquePointer) -> Bool {
        let state = nm_device_get_state(device).rawValue
        return state == DeviceState.activated || DeviceState.activating.contains(state)
    }

    private func openHotspot(_ network: HomeNetwork, endingConnection: Bool) async -> Result<JoinedNetwork, JoinFailure>
    {
        let devices: [OpaquePointer]
        switch usableDevices() {
        case .failure(let failure): return .failure(failure)
        case .success(let usable): devices = usable
        }
        guard let client else { return .failure(.noNetworkManager) }
        guard let found = hotspotProfile(network) else { return .failure(.noHotspotProfile(ssid: network.ssid)) }
        if let active = active(withProfile: uuid(found)) {
            return done(network, on: pointers(nm_active_connection_get_devices(active)).first)
        }
        let device: GObjectReference
        switch self.device(forHotspot: devices, mayEndConnection: endingConnection) {
        case .failure(let failure): return .failure(failure)
        case .success(let found): device = GObjectReference(sharing: found)
        }
        let profile = GObjectReference(sharing: found)
        let deadline = ContinuousClock.now + limits.join
        let active = await call(within: limits.join) { cancellable, callback, data in
            nm_client_activate_connection_async(
                client.pointer, profile.pointer, device.pointer, nil, cancellable, callback, data)
        } finish: { source, result, error in
            GObjectReference(taking: nm_client_activate_connection_finish(source, result, error))
        }
        switch active {
        case .failure(let failure): return .failure(reason(failure, network) ?? .interrupted)
        case .success(let active):
            let handler = SignalHandler.notify(active, changes)
            defer { withExtendedLifetime(handler) {} }
            await wait(until: deadline) { !isUnderWay(active) || gate.isClosed }
            if isActivated(active) { return done(network, on: device.pointer) }
            guard !gate.isClosed, isManagerRunning else { return .failure(.interrupted) }
            if isUnderWay(active) {
                _ = await end(active)
                return .failure(.timedOut(ssid: network.ssid))
            }
            let reason = nm_active_connection_get_state_reason(active.pointer)
            return .failure(JoinFailure(connectionReason: reason, ssid: network.ssid))
        }
    }

    // MARK: Leaving

    /// The connections to the network or of the hotspot, each with its device, borrowed from the cache.
    private func connections(
        _ network: HomeNetwork, _ action: NetworkAction
    ) -> [(active: OpaquePointer, device: OpaquePointer)] {
        let ssid = network.name.bytes
        return wifiDevices().compactMap { device in
            guard isInUse(device), let active = nm_device_get_active_connection(device),
                let profile = nm_active_connection_get_connection(active), self.ssid(ofProfile: profile) == ssid,
                action == .leave ? isOfStation(profile) : isOfAccessPoint(profile),
                network.join != .once || isMadeHere(profile)
            else { return nil }
            return (active, device)
        }
    }

    /// The profiles that end with the visit, because ``JoinPolicy/once`` has made them; borrowed from the cache.
    private func temporaryProfiles(_ network: HomeNetwork) -> [OpaquePointer] {
        guard network.join == .once else { return [] }
        return profiles(of: network.name.bytes).filter { isOfStation($0) && isMadeHere($0) }
    }

    /// Deletes the profiles that end with the visit. Returns the reason if one is still there.
    private func forgetTemporaryProfiles(_ network: HomeNetwork) async -> JoinFailure? {
        for uuid in temporaryProfiles(network).map(uuid) { await forget(uuid) }
        await wait(until: .now + Self.switchLimit) { gate.isClosed || temporaryProfiles(network).isEmpty }
        if gate.isClosed || !isManagerRunning { return .interrupted }
        return temporaryProfiles(network).isEmpty ? nil : .timedOut(ssid: network.ssid)
    }

    /// Ends the connections. NetworkManager does not begin them again by itself.
    private func endConnections(
        _ network: HomeNetwork, _ action: NetworkAction
    ) async -> Result<JoinedNetwork, JoinFailure> {
        guard isManagerRunning else { return .failure(.noNetworkManager) }
        let ended = connections(network, action).map {
            (active: GObjectReference(sharing: $0.active), device: GObjectReference(sharing: $0.device))
        }
        for (active, _) in ended {
            if case .failure(let failure)? = await end(active), let reason = reason(failure, network) {
                return .failure(reason)
            }
        }
        await wait(until: .now + Self.switchLimit) { gate.isClosed || connections(network, action).isEmpty }
        if gate.isClosed || !isManagerRunning { return .failure(.interrupted) }
        guard connections(network, action).isEmpty else { return .failure(.timedOut(ssid: network.ssid)) }
        if let failure = await forgetTemporaryProfiles(network) { return .failure(failure) }
        return done(network, on: ended.first?.device.pointer)
    }

    private func end(_ active: GObjectReference) async -> Result<Bool, CallFailure>? {
        guard let client else { return nil }
        return await call(within: Self.switchLimit) { cancellable, callback, data in
            nm_client_deactivate_connection_async(client.pointer, active.pointer, cancellable, callback, data)
        } finish: { source, result, error in
            nm_client_deactivate_connection_finish(source, result, error) != 0 ? true : nil
        }
    }
}
