import COkaeriNetworkManager
import OkaeriDBus
import OkaeriWiFi

extension NetworkManagerSession {
    /// The Wi-Fi devices that NetworkManager can connect, one at least, borrowed from the cache.
    func usableDevices() -> Result<[OpaquePointer], JoinFailure> {
        guard let client, isManagerRunning else { return .failure(.noNetworkManager) }
        guard nm_client_networking_get_enabled(client.pointer) != 0 else { return .failure(.networkingOff) }
        let devices = wifiDevices()
        guard let first = devices.first else { return .failure(.noWiFiDevice) }
        guard nm_client_wireless_hardware_get_enabled(client.pointer) != 0 else { return .failure(.hardwareSwitchOff) }
        guard nm_client_wireless_get_enabled(client.pointer) != 0 else { return .failure(.radioOff) }
        let usable = devices.filter(isReady)
        return usable.isEmpty ? .failure(obstacle(of: first)) : .success(usable)
    }

    /// The reason why a device is not usable although Wi-Fi is on.
    private func obstacle(of device: OpaquePointer) -> JoinFailure {
        let name = name(device) ?? "?"
        if nm_device_get_firmware_missing(device) != 0 { return .firmwareMissing(device: name) }
        return nm_device_get_state(device).rawValue == DeviceState.unavailable
            ? .noSupplicant(device: name) : .deviceNotManaged(device: name)
    }

    /// The devices that can join, one at least; one that serves others is left alone, for a join would end that.
    func stations() -> Result<[OpaquePointer], JoinFailure> {
        usableDevices().flatMap { usable in
            let stations = usable.filter(isStation)
            return stations.isEmpty ? .failure(.servesHotspot(device: name(usable[0]) ?? "?")) : .success(stations)
        }
    }

    /// Whether the device is neither an access point nor part of a mesh or an ad-hoc network, and not about to become one:
    /// its mode changes only in the course of the activation.
    func isStation(_ device: OpaquePointer) -> Bool {
        switch nm_device_wifi_get_mode(device) {
        case NM_802_11_MODE_AP, NM_802_11_MODE_MESH, NM_802_11_MODE_ADHOC: false
        default: activeProfile(device).map(isOfStation) ?? true
        }
    }

    /// Whether the device is connected to another network than the protected one of that name, or on its way there. An
    /// unprotected network of the same name is another one.
    func isTaken(_ device: OpaquePointer, byOtherThan ssid: [UInt8]) -> Bool {
        let state = nm_device_get_state(device).rawValue
        guard state == DeviceState.activated || DeviceState.activating.contains(state) else { return false }
        guard let profile = activeProfile(device) else { return !isConnected(device, to: ssid) }
        return self.ssid(ofProfile: profile) != ssid || !isRobust(profile)
    }

    /// Whether the device is on its way to that network, with WPA2 or WPA3, or between two states: then the next one decides.
    ///
    /// A device that has lost its access point stays activated for some seconds, while wpa_supplicant searches. NetworkManager
    /// deactivates a device for a user or for the next connection.
    func isConnecting(_ device: OpaquePointer, to ssid: [UInt8]) -> Bool {
        let state = nm_device_get_state(device).rawValue
        if state == DeviceState.deactivating { return true }
        let isLost = state == DeviceState.activated && nm_device_wifi_get_active_access_point(device) == nil
        guard isLost || DeviceState.activating.contains(state), let profile = activeProfile(device),
            self.ssid(ofProfile: profile) == ssid, isRobust(profile)
        else { return false }
        return isOfStation(profile)
    }

    /// The security of an unprotected network of that name to which the device is connected.
    func weakTwin(_ device: OpaquePointer, _ ssid: [UInt8]) -> WeakSecurity? {
        guard connectedSSID(device) == ssid, let accessPoint = nm_device_wifi_get_active_access_point(device),
            case .weak(let security) = security(accessPoint)
        else { return nil }
        return security
    }

    /// Whether a user has ended the last connection of the device, and NetworkManager therefore does not begin another one.
    func isDisconnectedByUser(_ device: OpaquePointer) -> Bool {
        nm_device_get_state(device).rawValue == DeviceState.disconnected
            && nm_device_get_state_reason(device) == NM_DEVICE_STATE_REASON_USER_REQUESTED
    }

    /// The kind of the connection that this machine uses, if that is not Wi-Fi and works.
    var otherConnection: OtherConnection? {
        guard let client, isManagerRunning, let primary = nm_client_get_primary_connection(client.pointer),
            nm_active_connection_get_state(primary) == NM_ACTIVE_CONNECTION_STATE_ACTIVATED,
            let device = pointers(nm_active_connection_get_devices(primary)).first, okaeri_is_wifi(device) == 0
        else { return nil }
        if nm_client_connectivity_check_get_enabled(client.pointer) != 0 {
            let found = nm_client_get_connectivity(client.pointer)
            guard found == NM_CONNECTIVITY_FULL || found == NM_CONNECTIVITY_UNKNOWN else { return nil }
        }
        return switch nm_device_get_device_type(device) {
        case NM_DEVICE_TYPE_ETHERNET: .ethernet
        case NM_DEVICE_TYPE_MODEM, NM_DEVICE_TYPE_BT: .mobile
        default: .other
        }
    }

    /// The profile with which the device is connected or connects, borrowed from the cache.
    private func activeProfile(_ device: OpaquePointer) -> OpaquePointer? {
        nm_device_get_active_connection(device).flatMap { nm_active_connection_get_connection($0) }
    }

    /// Whether a network has accepted a device with the profile of that UUID: it is connected, or requests an address.
    func isAccepted(withProfile uuid: String) -> Bool {
        wifiDevices().contains { device in
            let state = nm_device_get_state(device).rawValue
            return (state == DeviceState.activated || DeviceState.addressing.contains(state))
                && activeProfile(device).map { self.uuid($0) } == uuid
        }
    }
}
