import Glibc
import OkaeriBluetooth
import OkaeriPlumbing
import Synchronization

/// A kernel with one adapter, whose socket is a descriptor that the process was started with.
final class SocketKernel: BluetoothKernel {
    private let scanSocket: Mutex<Int32?>

    /// Keeps the other end of the hot-plug socket open.
    private let quietEnd = Mutex<Int32>(-1)

    init(scanSocket: Int32) {
        self.scanSocket = Mutex(scanSocket)
    }

    func adapters() throws(KernelError) -> [Adapter] { [Adapter(index: 0, name: "hci0", isUp: true)] }

    func openScanSocket(adapter index: UInt16) throws(KernelError) -> HCISocket {
        guard let number = scanSocket.withLock({ $0.take() }) else { throw KernelError(.openSocket, code: ENODEV) }
        return HCISocket(owning: OwnedDescriptor(owning: number))
    }

    func openHotPlugSocket() throws(KernelError) -> HCISocket {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0 else {
            throw KernelError(.openSocket, code: errno)
        }
        quietEnd.withLock { $0 = ends[1] }
        return HCISocket(owning: OwnedDescriptor(owning: ends[0]))
    }

    func now() -> Int64 { LinuxKernel().now() }
}
