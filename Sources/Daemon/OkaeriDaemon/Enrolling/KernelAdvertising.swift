package import BlueZ
import HCI
import OkaeriBluetooth

/// Advertises by the kernel's management interface where bluetoothd cannot; see `okaeri doctor` for the kernels.
package struct KernelAdvertising: AdvertisingFallback {
    private let advertising = ManagementAdvertising()

    package init() {}

    package func start(_ advertisement: Advertisement, adapter: String) async throws(AdvertisementError) {
        guard let index = UInt16(adapter: adapter) else {
            throw .notAccepted(reason: "the kernel has no adapter \(adapter)")
        }
        let content = AdvertisingInstance(
            number: 0, isConnectable: advertisement.kind == .connectable, timeout: 0, data: advertisement.data,
            scanResponse: advertisement.scanResponse)
        do throws(ManagementError) {
            try await advertising.start(content, on: index)
        } catch {
            throw .notAccepted(reason: "\(error)")
        }
    }

    package func stop() async { await advertising.stop() }
}

extension UInt16 {
    /// The number of an adapter, 0 for `hci0`.
    package init?(adapter: String) {
        guard adapter.hasPrefix("hci"), let index = UInt16(adapter.dropFirst(3)) else { return nil }
        self = index
    }
}
