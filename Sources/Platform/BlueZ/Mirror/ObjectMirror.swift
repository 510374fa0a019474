import DBus
import Plumbing
import Synchronization

/// bluetoothd's objects as they are now, for all readers, and the way to call bluetoothd.
final class ObjectMirror: Sendable {
    private struct State {
        var machine = MirrorMachine()
        var bus: Bus?
        var busError: BusError?
        /// Receives the owners to list the objects of.
        var list: AsyncStream<String>.Continuation?
        var nextListener: UInt64 = 0
        var listeners: [UInt64: (path: String, values: AsyncStream<[UInt8]>.Continuation)] = [:]
    }

    /// The visible state of bluetoothd at one moment.
    struct View: Sendable {
        var tree: ObjectTree
        var reach: MirrorMachine.Reach
        var resets: UInt64
        var refreshes: UInt64
        var connections: UInt64
        var bus: Bus?
        /// The reason why there is no bus, or why it does not allow calls to bluetoothd, until it does.
        var busError: BusError?
    }

    /// The time limit of bluetoothd's answers that need no radio.
    static let replyTimeout = Duration.seconds(10)

    /// The number of values that a reader may leave unread; of more the oldest are dropped.
    static let valueLimit = 256

    /// The pause after the bus was lost or could not be reached.
    private static let pause = Duration.seconds(2)

    private let address: String?
    private let state = Mutex(State())

    private let waiters = Waiters()

    init(address: String?) {
        self.address = address
    }

    var view: View {
        state.withLock {
            View(
                tree: $0.machine.tree, reach: $0.machine.reach, resets: $0.machine.resets,
                refreshes: $0.machine.refreshes.ended, connections: $0.machine.connections, bus: $0.bus,
                busError: $0.busError)
        }
    }

    /// Follows bluetoothd until cancelled, over its restarts and the loss of the bus.
    func run() async {
        while !Task.isCancelled {
            do throws(BusError) {
                let bus = try await Bus.connect(address: address)
                let error = await follow(bus)
                await bus.close()
                lost(error)
            } catch {
                lost(error)
            }
            await Self.pause.elapsed()
        }
    }

    /// Follows bluetoothd on one bus, until that is lost. Returns why.
    private func follow(_ bus: Bus) async -> BusError {
        do throws(BusError) {
            // On the bus's own thread and without a buffer: what is added and what then changes must not overtake each
            // other, and no flood of advertisements piles up.
            var observations = [
                try await bus.observe(
                    SignalMatch(
                        sender: Interface.bus, interface: Interface.bus, member: "NameOwnerChanged",
                        argument0: Interface.service)
                ) { [weak self] signal in
                    guard signal.arguments.count == 3, let new = signal.arguments[2].string else { return }
                    self?.perform { $0.ownerChanged(to: new.isEmpty ? nil : new) }
                },
                try await bus.observe(SignalMatch(sender: Interface.service)) { [weak self] signal in
                    self?.received(signal)
                },
            ]
            let (lists, list) = AsyncStream.makeStream(of: String.self)
            state.withLock { state in
                state.bus = bus
                // Another refusal is likely, so the error stays: otherwise the state would look well for that long.
                if state.busError?.isRefusal != true { state.busError = nil }
                state.list = list
            }
            perform { $0.busConnected() }
            let owner = try await Self.owner(on: bus)
            perform { $0.ownerChanged(to: owner) }
            return await withTaskGroup(of: BusError.self) { group in
                group.addTask {
                    await bus.closed()
                    return .disconnected("the bus has closed the connection")
                }
                group.addTask {
                    for await owner in lists { if let error = await self.list(owner, on: bus) { return error } }
                    return .cancelled
                }
                let error = await group.next()
                group.cancelAll()
                observations.removeAll()
                await bus.close()
                return error ?? .cancelled
            }
        } catch {
            return error
        }
    }

    private static func owner(on bus: Bus) async throws(BusError) -> String? {
        do throws(BusError) {
            let answer = try await bus.call(
                Interface.bus, Interface.busPath, Interface.bus, "GetNameOwner", [.string(Interface.service)],
                within: replyTimeout)
            return answer.first?.string
        } catch .noOwner {
            return nil
        } catch .refused(name: "org.freedesktop.DBus.Error.NameHasNoOwner", _) {
            return nil
        }
    }

    private func received(_ signal: BusSignal) {
        guard let notice = MirrorMachine.Notice(signal) else { return }
        perform { $0.received(notice, from: signal.sender) }
    }

    /// Requests all objects. Returns an error that a repetition on this bus cannot fix.
    private func list(_ owner: String, on bus: Bus) async -> BusError? {
        do throws(BusError) {
            let answer = try await bus.call(
                owner, "/", Interface.objectManager, "GetManagedObjects", within: Self.replyTimeout)
            guard let objects = answer.first?.managedObjects else { return .unreadable }
            perform { $0.listed(objects, by: owner) }
            state.withLock { $0.busError = nil }
            return nil
        } catch {
            // It has gone again; a new owner is signalled.
            if case .noOwner = error { return nil }
            return error
        }
    }

    private func lost(_ error: BusError) {
        state.withLock { state in
            state.bus = nil
            state.busError = error
            state.list = nil
        }
        perform { $0.busLost() }
    }

    private func perform(_ event: (inout MirrorMachine) -> [MirrorMachine.Action]) {
        let (actions, list) = state.withLock { state in (event(&state.machine), state.list) }
        for action in actions {
            switch action {
            case .list(let owner): list?.yield(owner)
            case .value(let path, let value):
                let listeners = state.withLock { $0.listeners.values.filter { $0.path == path } }
                for listener in listeners { listener.values.yield(value) }
            case .changed(let change): waiters.wake(for: change)
            }
        }
    }
}

// MARK: Waiting and asking

extension ObjectMirror {
    /// Wakes all waiters after a change of something other than bluetoothd's objects.
    func wakeAll() { waiters.wake(for: .all) }

    /// Looks again after each change of interest until there is something to be found.
    ///
    /// - Parameters:
    ///   - deadline: until when; nil: as long as it takes.
    ///   - interest: The objects that `look` reads.
    ///   - look: finds it, or throws what makes it vain to wait.
    /// - Returns: nil when the time is up.
    func wait<Found: Sendable>(
        until deadline: ContinuousClock.Instant?, for interest: Interest, _ look: (View) throws(CentralError) -> Found?
    ) async throws(CentralError) -> Found? {
        // Before the first look: what changes after that is not missed.
        let waiter = waiters.add(interest)
        defer { waiters.remove(waiter) }
        let timer = deadline.map { deadline in
            Task { [waiters] in
                guard (try? await Task.sleep(until: deadline, clock: .continuous)) != nil else { return }
                waiters.wake(waiter)
            }
        }
        defer { timer?.cancel() }
        let result = await withTaskCancellationHandler { () -> Result<Found?, CentralError> in
            while true {
                do throws(CentralError) {
                    if let found = try look(view) { return .success(found) }
                } catch {
                    return .failure(error)
                }
                if Task.isCancelled { return .failure(.cancelled) }
                if let deadline, deadline <= .now { return .success(nil) }
                await waiters.wait(waiter)
            }
        } onCancel: { [waiters] in
            waiters.wake(waiter)
        }
        return try result.get()
    }

    /// Has bluetoothd list its objects again, and returns when that is done. For bluetoothd answers before it has
    /// signalled all that led to the answer, and some of it (see ``Discovery/isConnected(_:)``) it never signals.
    func refresh() async throws(CentralError) {
        perform { $0.refreshed() }
        let asked = state.withLock { $0.machine.refreshes.asked }
        _ = try await wait(until: .now + Self.replyTimeout, for: .adapters) { view in
            view.refreshes >= asked ? true : nil
        }
    }

    /// The values that a characteristic notifies or is read with, from now on; see ``valueLimit``.
    func values(of path: String) -> AsyncStream<[UInt8]> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: [UInt8].self, bufferingPolicy: .bufferingNewest(Self.valueLimit))
        let id = state.withLock { state in
            state.nextListener += 1
            state.listeners[state.nextListener] = (path, continuation)
            return state.nextListener
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.listeners.removeValue(forKey: id) }
        }
        return stream
    }

    /// Calls a method of bluetoothd.
    func call(
        _ path: String, _ interface: String, _ method: String, _ arguments: [DBusValue] = [],
        within limit: Duration = replyTimeout
    ) async throws(BusError) -> [DBusValue] {
        guard let bus = state.withLock({ $0.bus }) else { throw .disconnected("it was lost a moment ago") }
        return try await bus.call(Interface.service, path, interface, method, arguments, within: limit)
    }
}
