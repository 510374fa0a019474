import Glibc
import OkaeriBluetooth
import OkaeriPlumbing
import Synchronization

/// A kernel of socket pairs: the scanner holds one end, the test the other.
final class FakeKernel: BluetoothKernel {
    private struct State {
        var adapters: Result<[Adapter], KernelError>
        var scanError: KernelError?
        var hotPlugError: KernelError?
        var isDiscovering = false
        var powerErrors: [PowerStep: KernelError] = [:]
        var lackedRights: [PowerStep: KernelError] = [:]
        var stepsTaken: [PowerStep] = []
        var questions = 0
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
        try state.withLock { state in
            state.questions += 1
            return state.adapters
        }.get()
    }

    func openScanSocket(adapter index: UInt16) throws(KernelError) -> HCISocket {
        if let error = state.withLock({ $0.scanError }) { throw error }
        return try pair(scanSockets)
    }

    /// Whether another program's discovery runs on hci0.
    func set(isDiscovering: Bool) {
        state.withLock { $0.isDiscovering = isDiscovering }
    }

    func isDiscovering(adapter index: UInt16) -> Bool {
        state.withLock(\.isDiscovering) && index == 0
    }

    func openHotPlugSocket() throws(KernelError) -> HCISocket {
        if let error = state.withLock({ $0.hotPlugError }) { throw error }
        return try pair(hotPlugSockets)
    }

    /// The adapters that were switched off and on, in order.
    let powerCycles = Mailbox<Adapter>()

    func powerCycle(_ adapter: Adapter) throws(KernelError) {
        powerCycles.post(adapter)
    }

    /// The time by which this kernel's clock is ahead of that of Linux.
    private let lead = Atomic<Int64>(0)

    /// Lets time pass in which the process does not run.
    func stall(for seconds: Int64) { lead.add(seconds * 1_000_000_000, ordering: .relaxed) }

    func now() -> Int64 { LinuxKernel().now() + lead.load(ordering: .relaxed) }

    /// The number of times that the adapters were listed.
    var questions: Int { state.withLock(\.questions) }

    /// The steps taken to switch an adapter on.
    var stepsTaken: [PowerStep] { state.withLock(\.stepsTaken) }

    func set(powerError: KernelError, of step: PowerStep) {
        state.withLock { $0.powerErrors[step] = powerError }
    }

    func set(lackedRight: KernelError, to step: PowerStep) {
        state.withLock { $0.lackedRights[step] = lackedRight }
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

extension FakeKernel: PowerKernel {
    func unblock(_ adapter: Adapter) throws(KernelError) {
        try take(.unblock) { $0.radioBlock = .none }
    }

    func switchOn(_ adapter: Adapter) throws(KernelError) {
        try take(.switchOn) { $0.isUp = true }
    }

    func takeBack(_ step: PowerStep, of adapter: Adapter) throws(KernelError) {
        try state.withLock { state throws(KernelError) in
            var adapters = try state.adapters.get()
            for index in adapters.indices {
                switch step {
                case .unblock: adapters[index].radioBlock = .soft
                case .switchOn: adapters[index].isUp = false
                }
            }
            state.adapters = .success(adapters)
        }
    }

    func demandRight(to step: PowerStep) throws(KernelError) {
        if let error = state.withLock({ $0.lackedRights[step] }) { throw error }
    }

    private func take(_ step: PowerStep, _ change: (inout Adapter) -> Void) throws(KernelError) {
        try state.withLock { state throws(KernelError) in
            if let error = state.powerErrors[step] { throw error }
            var adapters = try state.adapters.get()
            for index in adapters.indices { change(&adapters[index]) }
            state.adapters = .success(adapters)
            state.stepsTaken.append(step)
        }
    }
}
