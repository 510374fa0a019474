package import Logging
import OkaeriEvents
package import OkaeriPlumbing
package import ServiceLifecycle
import Synchronization

/// A TCP listener that follows the configuration. If its address changes, the new one opens before the old one closes. If
/// the new one cannot be opened, the old one stays.
package final class ListenerSupervisor<Value: Sendable & Equatable>: Service {
    package typealias Maker = @Sendable (Value, Listeners) -> any Service

    private enum State {
        /// The configuration names no address. → `running`: it names one.
        case off
        /// The configured listener is open, or tries again. → `off`: the configuration names none any more. → `running`: another
        /// one took its place. → `kept`: another one was to take its place, and cannot be opened.
        case running(Instance)
        /// The former listener is open, because the configured one cannot be opened. → `off`, `running`, `kept`: the configuration
        /// is read again.
        case kept(Instance)
    }

    /// A listener with the task that serves it.
    private struct Instance {
        let value: Value
        let listeners: Relay
        let task: Task<Void, Never>

        /// Closes the listener, and returns when its connections have ended.
        func end() async {
            task.cancel()
            await task.value
        }
    }

    /// Receives the reports of one listener, and passes them on while it is the one in use.
    private final class Relay: Sendable {
        private struct Guarded {
            var latest: ListenerReport?
            var isUsed = false
            var refused: String?
        }

        private let guarded = Mutex(Guarded())
        private let reports = AsyncStream.makeStream(of: ListenerReport.self, bufferingPolicy: .bufferingOldest(1))
        private let target: Listeners

        init(to target: Listeners) { self.target = target }

        var isOpen: Bool { guarded.withLock { $0.latest.map { $0.problem == nil } ?? false } }

        /// The result of the first attempt to open the listener; `nil` if it ended before.
        var first: ListenerReport? {
            get async {
                for await report in reports.stream { return report }
                return nil
            }
        }

        func report(_ report: ListenerReport) {
            reports.continuation.yield(report)
            pass { $0.latest = report }
        }

        /// - Parameter refused: the reason why another listener is not in its place.
        func use(refused: String? = nil) { pass { ($0.isUsed, $0.refused) = (true, refused) } }

        func end() {
            reports.continuation.finish()
            guarded.withLock { $0.isUsed = false }
        }

        private func pass(_ change: (inout Guarded) -> Void) {
            let report = guarded.withLock { guarded -> ListenerReport? in
                change(&guarded)
                guard guarded.isUsed, var report = guarded.latest else { return nil }
                report.refused = guarded.refused
                return report
            }
            if let report { target.report(report) }
        }
    }

    private let name: String
    private let wanted: Mutex<Value?>
    private let address: @Sendable (Value) -> ListenAddress
    private let listeners: Listeners
    private let make: Maker
    private let logger: Logger
    /// Coalesces pending changes.
    private let changes = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// - Parameters:
    ///   - name: the key of the configuration.
    ///   - value: the listener of the configuration; `nil`: none.
    ///   - listeners: Receives the state of the listener in use.
    ///   - make: makes the service of a listener, which reports its state to the given listeners.
    package init(
        _ name: String, _ value: Value?, address: @escaping @Sendable (Value) -> ListenAddress, listeners: Listeners,
        logger: Logger, make: @escaping Maker
    ) {
        self.name = name
        wanted = Mutex(value)
        self.address = address
        self.listeners = listeners
        self.logger = logger
        self.make = make
    }

    /// Serves at another address, or by other rules, or not at all, from now on. A value that could not be used before is tried
    /// again.
    package func set(_ value: Value?) {
        wanted.withLock { $0 = value }
        changes.continuation.yield()
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            var state = State.off
            await follow(&state)
            for await _ in changes.stream { await follow(&state) }
            switch state {
            case .off: break
            case .running(let instance), .kept(let instance): await instance.end()
            }
        }
        try await gracefulShutdown()
    }

    private func follow(_ state: inout State) async {
        let value = wanted.withLock(\.self)
        switch (state, value) {
        case (.off, nil): break
        case (.off, let value?): state = .running(used(start(value)))
        case (.running(let instance), nil), (.kept(let instance), nil):
            await instance.end()
            listeners.remove(name)
            state = .off
        case (.running(let instance), let value?) where instance.value == value: break
        case (.kept(let instance), let value?) where instance.value == value: state = .running(used(instance))
        case (.running(let instance), let value?), (.kept(let instance), let value?):
            state = await replace(instance, by: value)
        }
    }

    private func replace(_ old: Instance, by value: Value) async -> State {
        let (from, to) = (address(old.value), address(value))
        if from == to {
            await old.end()
            return .running(used(start(value)))
        }
        let next = start(value)
        let first = await next.listeners.first
        // A listener that is closed has nothing to lose: the new one tries again until it is open.
        guard let problem = first?.problem, old.listeners.isOpen else {
            old.listeners.end()
            let state = State.running(used(next))
            await old.end()
            return state
        }
        await next.end()
        guard from.port == to.port else { return keep(old, to, problem) }
        // The old one itself may be in the way, such as that of all addresses.
        await old.end()
        var last = problem
        // A program that is being started has a copy of the closed socket until it runs.
        for pause in [Duration.zero, .milliseconds(100), .seconds(1), .seconds(3)] {
            try? await Task.sleep(for: pause)
            let second = start(value)
            guard let problem = await second.listeners.first?.problem else { return .running(used(second)) }
            await second.end()
            last = problem
        }
        return keep(start(old.value), to, last)
    }

    private func keep(_ instance: Instance, _ refused: ListenAddress, _ problem: String) -> State {
        let sentence = "\(refused) cannot be opened: \(problem)"
        logger.error("\(name) stays on \(address(instance.value)): \(sentence)")
        instance.listeners.use(refused: sentence)
        return .kept(instance)
    }

    private func start(_ value: Value) -> Instance {
        let relay = Relay(to: listeners)
        let service = make(value, Listeners { relay.report($0) })
        let task = Task {
            // Ends only because it is cancelled, or because the daemon stops.
            try? await service.run()
            relay.end()
        }
        return Instance(value: value, listeners: relay, task: task)
    }

    private func used(_ instance: Instance) -> Instance {
        instance.listeners.use()
        return instance
    }
}
