import CNetworkManager
import DBus
import WiFi

extension NetworkManagerSession {
    /// The Wi-Fi devices that NetworkManager can connect, one at least, borrowed from the cache.
    func usableDevices() -> Result<[OpaquePointer], JoinFailure> {
        guard let client, isManagerRunning else { return .failure(.noNetworkManager) }
        let devices = wifiDevices()
        guard let first = devices.first else { return .failure(.noWiFiDevice) }
        guard nm_client_wireless_hardware_get_enabled(client.pointer) != 0 else { return .failure(.hardwareSwitchOff) }
        guard nm_client_wireless_get_enabled(client.pointer) != 0 else { return .failure(.radioOff) }
        let usable = devices.filter(isReady)
        return usable.isEmpty ? .failure(.deviceNotManaged(device: name(first) ?? "?")) : .success(usable)
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
