import CNetworkManager
import DBus
import Plumbing
import WiFi

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
        guard let name = ssid(accessPoint), !name.isEmpty, let ssid = String(validating: name, as: UTF8.self) else {
            return nil
        }
        return VisibleNetwork(
            ssid: ssid, strength: Int(nm_access_point_get_strength(accessPoint)), security: security(accessPoint))
    }
}
