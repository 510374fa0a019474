import Bluetooth
import Glibc
import Synchronization

/// A kernel of socket pairs: the scanner holds one end, the test the other.
final class FakeKernel: BluetoothKernel {
    private struct State {
        var adapters: Result<[Adapter], KernelError>
        var scanError: KernelError?
        var hotPlugError: KernelError?
    }

    private let state: Mutex<State>

    /// The test's ends of the sockets that were opened, in order.
    let scanSockets = Mailbox<FakeController>()
    let hotPlugSockets = Mailbox<FakeController>()

    init(_ adapters: [Adapter] = [Adapter(index: 0, name: "hci0", isUp: true)]) {
        state = Mutex(State(adapters: .success(adapters)))
    }

    func set(adapters: [Adapter]) {
        state.withLock { $0.adapters = .success(adapters) }
    }

    func set(scanError: KernelError?) {
        state.withLock { $0.scanError = scanError }
    }

    func set(hotPlugError: KernelError?) {
        state.withLock { $0.hotPlugError = hotPlugError }
    }

    func adapters() throws(KernelError) -> [Adapter] {
        try state.withLock { $0.adapters }.get()
    }

    func openScanSocket(adapter index: UInt16) throws(KernelError) -> HCISocket {
        if let error = state.withLock({ $0.scanError }) { throw error }
        return try pair(scanSockets)
    }

    func openHotPlugSocket() throws(KernelError) -> HCISocket {
        if let error = state.withLock({ $0.hotPlugError }) { throw error }
        return try pair(hotPlugSockets)
    }

    func now() -> Int64 {
        LinuxKernel().now()
    }

    private func pair(_ mailbox: Mailbox<FakeController>) throws(KernelError) -> HCISocket {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0 else {
            throw KernelError(.openSocket, code: errno)
        }
        mailbox.post(FakeController(owning: ends[1]))
        return HCISocket(owning: OwnedDescriptor(owning: ends[0]))
    }
}
