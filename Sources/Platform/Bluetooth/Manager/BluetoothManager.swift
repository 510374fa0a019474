import HCI
import OkaeriPlumbing
import Synchronization

/// Bluetooth on request, with the terms of CoreBluetooth (`CBManager`).
///
/// Nothing is asked of the adapter, and no thread runs, before ``authorize(within:)`` or ``states()`` is called. From then
/// on it follows what becomes of the adapter, until the manager goes.
///
///     let bluetooth = BluetoothManager()
///     guard await bluetooth.authorize().state == .poweredOn else { return }
public final class BluetoothManager: Sendable {
    private let updates = Broadcast<AdapterUpdate>(remembers: true)
    private let delegate: any ScannerDelegate
    private let adapter: String?
    private let parameters: ScannerParameters
    private let kernel: any BluetoothKernel
    private let state = Mutex(State())

    private struct State: Sendable {
        var scanner: Scanner?
        var isEnded = false
    }

    /// A manager of one adapter, by its name (`hci0`), or of the first that is switched on.
    public convenience init(adapter: String? = nil, kernel: some BluetoothKernel = LinuxKernel()) {
        self.init(adapter: adapter, parameters: ScannerParameters(), delegate: nil, kernel: kernel)
    }

    /// - Parameter delegate: is given what the scanner receives; it must not hold on to the manager.
    package init(
        adapter: String?, parameters: ScannerParameters, delegate: (any ScannerDelegate)?,
        kernel: some BluetoothKernel
    ) {
        self.delegate = delegate ?? IgnoringDelegate()
        self.adapter = adapter
        self.parameters = parameters
        self.kernel = kernel
    }

    deinit {
        end()
    }

    /// The state of Bluetooth with the reason for it: the present one first, as soon as it is known, then each change.
    ///
    /// A slow reader misses the oldest changes, never the last one.
    public func states() -> HeldStream<AdapterUpdate> {
        HeldStream(of: self) { $0.subscribe() }
    }

    /// The state, without a request: ``AdapterUpdate/starting`` before the first one.
    package var latest: AdapterUpdate { updates.latest ?? .starting }

    /// The states, without a request: first the present one, then each change.
    package var observedStates: HeldStream<AdapterUpdate> {
        HeldStream(of: self) { $0.updates.values(backlog: Self.backlog, initial: .starting) }
    }

    /// Waits until it is decided whether there is Bluetooth, and whether this process may use it.
    ///
    /// - Parameter limit: The time to wait for an adapter that is being reset, or does not answer.
    /// - Returns: the state with its reason, at once if it is decided; ``BluetoothState/unknown`` or
    ///   ``BluetoothState/resetting`` only when the time was up or the task was cancelled before.
    public func authorize(within limit: Duration = .seconds(10)) async -> AdapterUpdate {
        await state(within: limit) { $0.isDecided }
    }

    /// Waits until Bluetooth is switched on.
    ///
    /// - Returns: the state; another than ``BluetoothState/poweredOn`` if the time was up or the task cancelled.
    public func poweredOn(within limit: Duration) async -> AdapterUpdate {
        await state(within: limit) { $0 == .poweredOn }
    }

    /// Scans from now on, for the delegate.
    package func startScan() {
        begin()
        state.withLock(\.scanner)?.startScan()
    }

    /// Scans no more.
    package func endScan() {
        state.withLock(\.scanner)?.endScan()
    }

    /// The delegate's deadline may have changed: it is asked again.
    package func deadlineDidChange() {
        state.withLock(\.scanner)?.perform {}
    }

    /// Ends everything: the states end when the scan is off. Nothing begins any more.
    package func end() {
        let scanner = state.withLock { state in
            state.isEnded = true
            return state.scanner
        }
        if let scanner { scanner.stop() } else { updates.close() }
    }

    /// Ends everything, and returns when the scan is off.
    package func stop() async {
        let updates = self.updates.values(backlog: 1)
        end()
        for await _ in updates {}
    }

    /// The number of changes that a reader may lag behind: far more than happen while a task waits for its turn.
    private static let backlog = 64

    private func state(
        within limit: Duration, where isAnswer: @escaping @Sendable (BluetoothState) -> Bool
    ) async -> AdapterUpdate {
        let states = subscribe()
        let answer = await withTaskGroup(of: AdapterUpdate?.self) { group in
            group.addTask { await states.first { isAnswer($0.state) } }
            group.addTask {
                await limit.elapsed()
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        return answer ?? updates.latest ?? .unanswered(adapter)
    }

    private func subscribe() -> AsyncStream<AdapterUpdate> {
        let updates = self.updates.values(backlog: Self.backlog)
        begin()
        return updates
    }

    /// Starts the scanner at the first request.
    private func begin() {
        let failure = state.withLock { state -> KernelError? in
            guard state.scanner == nil, !state.isEnded else { return nil }
            do throws(KernelError) {
                let new = try Scanner(
                    adapter: adapter, parameters: parameters, wantsScan: false, kernel: kernel, updates: updates)
                try BlockingThread.start({ KernelError(.startThread, code: $0) }) { [updates, delegate] in
                    defer { updates.close() }
                    do throws(KernelError) {
                        try new.run(delegate)
                    } catch {
                        updates.send(.failed(error, new.adapter))
                    }
                }
                state.scanner = new
                return nil
            } catch {
                return error
            }
        }
        if let failure { updates.send(.failed(failure, adapter)) }
    }
}

extension BluetoothState {
    /// Whether the adapter has answered.
    public var isDecided: Bool {
        switch self {
        case .unknown, .resetting: false
        case .unsupported, .unauthorized, .poweredOff, .poweredOn: true
        }
    }
}

/// The delegate of a manager that reports changes of the adapter alone.
private final class IgnoringDelegate: ScannerDelegate {
    func scannerDidReceive(_ event: RawSpan, at time: Int64) -> Bool { false }
    func scannerDidUpdate(_ update: AdapterUpdate, at time: Int64) {}
    func scannerDidChangeListening(_ timing: ScanTiming?, at time: Int64) {}
    func scannerDidFinishTurn(at time: Int64) -> Int64? { nil }
    var nextDeadline: Int64? { nil }
}

extension AdapterUpdate {
    /// The adapter was not used yet.
    package static let starting = AdapterUpdate(
        state: .unknown, adapter: nil, cause: .notAnswered, reason: "the adapter has not answered yet")
}

/// The values of a source for several readers. An iteration keeps the source alive.
public struct HeldStream<Element: Sendable>: AsyncSequence, Sendable {
    public typealias Failure = Never

    private let source: any AnyObject & Sendable
    private let values: @Sendable () -> AsyncStream<Element>

    /// - Parameter values: Returns the values for one reader.
    package init<Source: AnyObject & Sendable>(
        of source: Source, _ values: @escaping @Sendable (Source) -> AsyncStream<Element>
    ) {
        self.source = source
        self.values = { values(source) }
    }

    /// Begins an iteration, which is independent of the other ones.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: values().makeAsyncIterator(), source: source)
    }

    /// The iteration of one reader.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: AsyncStream<Element>.Iterator
        fileprivate let source: any AnyObject & Sendable

        /// Returns the next value, or `nil` when the source has ended, or the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Element? {
            await base.next(isolation: actor)
        }

        /// Returns the next value, or `nil` when the source has ended, or the task is cancelled.
        public mutating func next() async -> Element? {
            await base.next()
        }
    }
}
