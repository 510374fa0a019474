import COkaeriGIO
import COkaeriNetworkManager
import Glibc
import OkaeriDBus
import OkaeriPlumbing
import OkaeriWiFi

/// Copies of the client's cache.
extension NetworkManagerSession {
    var isManagerRunning: Bool {
        client.map { nm_client_get_nm_running($0.pointer) != 0 } ?? false
    }

    /// The Wi-Fi devices NetworkManager knows, borrowed from the cache.
    func wifiDevices() -> [OpaquePointer] {
        guard let client, isManagerRunning else { return [] }
        return pointers(nm_client_get_devices(client.pointer)).filter { okaeri_is_wifi($0) != 0 }
    }

    func isReady(_ device: OpaquePointer) -> Bool {
        nm_device_get_state(device).rawValue > DeviceState.unavailable
    }

    /// Whether there is a device and it is not ready yet: NetworkManager has taken it up, and starts wpa_supplicant.
    var isGettingReady: Bool {
        guard let client, nm_client_wireless_get_enabled(client.pointer) != 0 else { return false }
        let devices = wifiDevices()
        return !devices.contains(where: isReady)
            && devices.contains { nm_device_get_state($0).rawValue == DeviceState.unavailable }
    }

    func currentState() -> WiFiState {
        guard let client, isManagerRunning else { return WiFiState() }
        let devices = wifiDevices()
        let connections = devices.compactMap { device in
            connectedSSID(device).map { ssid in
                WiFiState.Connection(
                    device: name(device), ssid: SSID(bytes: ssid).text, internet: internet(device))
            }
        }
        let ready = devices.first(where: isReady)
        var device = connections.first?.device
        if device == nil, let shown = ready ?? devices.first { device = name(shown) }
        var state = WiFiState(
            managerRunning: true,
            radioEnabled: nm_client_wireless_get_enabled(client.pointer) != 0,
            hardwareEnabled: nm_client_wireless_hardware_get_enabled(client.pointer) != 0,
            device: device, deviceReady: ready != nil,
            connectedSSID: connections.first?.ssid, internet: connections.first?.internet ?? .unknown,
            activating: devices.contains { DeviceState.activating.contains(nm_device_get_state($0).rawValue) })
        state.otherConnections = Array(connections.dropFirst())
        state.uses24GHz = uses24GHz(devices)
        state.otherConnection = otherConnection
        if case .failure(let failure) = usableDevices() { state.obstacle = failure }
        if let first = connections.first {
            for device in devices where name(device) == first.device {
                state.weakSecurity = weakTwin(device, SSID(first.ssid).bytes)
                break
            }
        }
        state.reception = reception(devices, except: connections.map { SSID($0.ssid) })
        return state
    }

    /// The access points of a device whose names were asked about, an attacker's many among them only up to a limit.
    func observedAccessPoints(_ device: OpaquePointer) -> [OpaquePointer] {
        guard !observed.isEmpty else { return [] }
        let all = accessPoints(device).filter { ssid($0).map(observed.contains) ?? false }
        return Array(all.prefix(Self.mostObserved))
    }

    private static var mostObserved: Int { 64 }

    /// The strengths of the protected networks that were asked about, in steps of ten: smaller changes do not matter.
    private func reception(_ devices: [OpaquePointer], except connected: [SSID]) -> [SSID: Int] {
        var strengths: [SSID: Int] = [:]
        for device in devices where isStation(device) {
            for accessPoint in observedAccessPoints(device) where security(accessPoint).isRobust {
                guard let name = ssid(accessPoint).map({ SSID(bytes: $0) }) else { continue }
                let strength = Int(nm_access_point_get_strength(accessPoint)) / 10 * 10
                strengths[name] = max(strengths[name] ?? 0, strength)
            }
        }
        for name in connected { strengths[name] = nil }
        return strengths
    }

    /// Whether one of the Wi-Fi devices uses 2.4 GHz; `nil` if none is known to, and NetworkManager knows no device or does not
    /// manage one of them, or an access point is not known yet.
    private func uses24GHz(_ devices: [OpaquePointer]) -> Bool? {
        guard !devices.isEmpty else { return nil }
        let uses = devices.map { device -> Bool? in
            let state = nm_device_get_state(device).rawValue
            if state <= DeviceState.unmanaged { return nil }
            guard state == DeviceState.activated || DeviceState.activating.contains(state) else { return false }
            // A hotspot has an access point of its own here. Without one, as in a mesh, the frequency is unknown.
            guard let accessPoint = nm_device_wifi_get_active_access_point(device) else { return nil }
            return nm_access_point_get_frequency(accessPoint) < Self.above24GHz
        }
        return uses.contains(true) ? true : uses.contains(nil) ? nil : false
    }

    /// In MHz: between the channels at 2.4 GHz and those at 5 GHz.
    private static var above24GHz: guint32 { 3000 }

    /// The result of NetworkManager's check of the Internet. Without a check, what NetworkManager reports is a guess.
    private func internet(_ device: OpaquePointer) -> InternetAccess {
        guard let client, nm_client_connectivity_check_get_enabled(client.pointer) != 0 else { return .unknown }
        let found = [nm_device_get_connectivity(device, AF_INET), nm_device_get_connectivity(device, AF_INET6)]
        if found.contains(NM_CONNECTIVITY_FULL) { return .full }
        if found.contains(NM_CONNECTIVITY_PORTAL) {
            let address = nm_client_connectivity_check_get_uri(client.pointer).map { String(cString: $0) }
            return InternetAccess(portalAt: address)
        }
        return found.contains(NM_CONNECTIVITY_LIMITED) || found.contains(NM_CONNECTIVITY_NONE) ? .limited : .unknown
    }

    /// The interface, such as `wlan0`.
    func name(_ device: OpaquePointer) -> String? {
        nm_device_get_iface(device).map { String(cString: $0) }
    }

    /// The network that the device is connected to; a hotspot's access point is the device itself and is not one.
    func connectedSSID(_ device: OpaquePointer) -> [UInt8]? {
        guard isStation(device), nm_device_get_state(device).rawValue == DeviceState.activated,
            let accessPoint = nm_device_wifi_get_active_access_point(device),
            nm_access_point_get_mode(accessPoint) == NM_802_11_MODE_INFRA
        else { return nil }
        return ssid(accessPoint)
    }

    func isConnected(_ device: OpaquePointer, to ssid: [UInt8]) -> Bool {
        guard connectedSSID(device) == ssid, let accessPoint = nm_device_wifi_get_active_access_point(device),
            case .robust = security(accessPoint)
        else { return false }
        return true
    }

    /// The access points that the device receives. Networks without one (ad hoc, mesh) do not count.
    func accessPoints(_ device: OpaquePointer) -> [OpaquePointer] {
        pointers(nm_device_wifi_get_access_points(device)).filter {
            nm_access_point_get_mode($0) == NM_802_11_MODE_INFRA
        }
    }

    func accessPoints(_ device: OpaquePointer, named name: [UInt8]) -> [OpaquePointer] {
        accessPoints(device).filter { ssid($0) == name }
    }

    func security(_ accessPoint: OpaquePointer) -> NetworkSecurity {
        NetworkSecurity(
            flags: nm_access_point_get_flags(accessPoint).rawValue,
            wpa: nm_access_point_get_wpa_flags(accessPoint).rawValue,
            rsn: nm_access_point_get_rsn_flags(accessPoint).rawValue)
    }

    func ssid(_ accessPoint: OpaquePointer) -> [UInt8]? {
        nm_access_point_get_ssid(accessPoint).map(bytes)
    }

    func bytes(_ bytes: OpaquePointer) -> [UInt8] {
        var length: gsize = 0
        let start = g_bytes_get_data(bytes, &length)
        return Array(UnsafeRawBufferPointer(start: start, count: Int(length)))
    }

    /// The elements of one of libnm's arrays of objects, borrowed from it.
    func pointers(_ array: UnsafePointer<GPtrArray>?) -> [OpaquePointer] {
        guard let array else { return [] }
        return UnsafeBufferPointer(start: array.pointee.pdata, count: Int(array.pointee.len)).compactMap {
            $0.map { OpaquePointer($0) }
        }
    }
}

extension NetworkManagerSession {
    /// So new is a scan that no other is needed, in milliseconds.
    private static let freshScan: Int64 = 15_000

    func networks() async -> Result<[VisibleNetwork], JoinFailure> {
        await wait(until: .now + limits.start) { isStarted || gate.isClosed }
        await wait(until: .now + limits.start) { !isGettingReady || gate.isClosed }
        if case .failure(let failure) = usableDevices() { return .failure(failure) }
        let now = KernelClock.boottime / 1_000_000
        let devices = (try? stations().get()) ?? []
        await scan(for: nil, on: devices.filter { now - lastScan($0) > Self.freshScan })
        return usableDevices().map { devices in
            VisibleNetwork.merged(devices.flatMap { accessPoints($0).compactMap(visible) })
        }
    }

    /// Returns the time of the last scan, in milliseconds of the boot-time clock; far in the past for never.
    private func lastScan(_ device: OpaquePointer) -> Int64 {
        let last = Int64(nm_device_wifi_get_last_scan(device))
        return last < 0 ? -Self.freshScan - 1 : last
    }

    private func visible(_ accessPoint: OpaquePointer) -> VisibleNetwork? {
        guard let name = ssid(accessPoint), !name.isEmpty else { return nil }
        return VisibleNetwork(
            ssid: SSID(bytes: name).text, strength: Int(nm_access_point_get_strength(accessPoint)),
            security: security(accessPoint))
    }
}
