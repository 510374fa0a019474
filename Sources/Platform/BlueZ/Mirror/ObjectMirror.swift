import OkaeriDBus
import OkaeriPlumbing
import Synchronization

/// bluetoothd's objects as they are now, for all readers, and the way to call bluetoothd.
final class ObjectMirror: Sendable {
    private struct State {
        var machine = MirrorMachine()
        var bus: Bus?
        var busError: BusError?
        /// Whether the manager was stopped: there is nothing to wait for.
        var isStopped = false
        /// Receives the owners to list the objects of.
        var list: AsyncStream<String>.Continuation?
        var nextListener: UInt64 = 0
        var listeners: [UInt64: (path: String, values: AsyncStream<[UInt8]>.Continuation)] = [:]
    }

    /// The visible state of bluetoothd at one moment.
    struct View: Sendable {
        var tree: ObjectTree
        var reach: MirrorMachine.Reach
        /// Whether bluetoothd has ever listed its objects.
        var wasKnown: Bool
        var resets: UInt64
        var refreshes: UInt64
        var connections: UInt64
        var ends: LinkEnds
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
                tree: $0.machine.tree, reach: $0.machine.reach, wasKnown: $0.machine.wasKnown,
                resets: $0.machine.resets, refreshes: $0.machine.refreshes.ended, connections: $0.machine.connections,
                ends: $0.machine.ends, bus: $0.bus, busError: $0.busError)
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
            // The end of the manager's own work is not a fault of the bus.
            state.busError = error == .cancelled ? nil : error
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
    /// Ends all waits, present and future.
    func stop() {
        state.withLock { $0.isStopped = true }
        wakeAll()
    }

    private var isStopped: Bool { state.withLock(\.isStopped) }

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
                if isStopped { return .failure(.cancelled) }
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

extension ObjectMirror.View {
    struct Adapter: Sendable, Equatable {
        var path: String
        var isPowered: Bool

        /// `hci0`.
        var name: String { path.split(separator: "/").last.map(String.init) ?? path }
    }

    /// The adapter of that name; without one the first that has power, else the first.
    func adapter(named name: String?) -> Adapter? {
        let adapters = tree.paths(with: Interface.adapter).map { path in
            Adapter(path: path, isPowered: tree[path, Interface.adapter]?["Powered"]?.boolean == true)
        }
        if let name { return adapters.first { $0.name == name } }
        return adapters.first(where: \.isPowered) ?? adapters.first
    }

    /// Returns the reason why Bluetooth cannot be used at present; `nil` if it can, or if nothing is known yet.
    func obstacle(adapter name: String?) -> CentralError? {
        switch reach {
        case .noBus where isRefused, .unknown where isRefused: .notPermitted(reason: busError?.reason ?? "")
        case .noBus: busError.map { .noBus(reason: $0.reason) }
        case .noDaemon: .noDaemon
        case .unknown: nil
        case .known:
            switch adapter(named: name) {
            case nil: .noAdapter(name)
            case let adapter?: adapter.isPowered ? nil : .poweredOff(adapter: adapter.name)
            }
        }
    }

    /// The bus does not let us ask bluetoothd.
    private var isRefused: Bool { busError?.isRefusal == true }

    /// The adapter to work with; nil when it cannot be worked with.
    func workingAdapter(named name: String?) -> Adapter? {
        guard reach == .known, let adapter = adapter(named: name), adapter.isPowered else { return nil }
        return adapter
    }

    /// Returns the state of an adapter with the terms of CoreBluetooth, for a central and for a peripheral.
    func state(adapter name: String?) -> ManagerState {
        switch reach {
        case .noBus where isRefused, .unknown where isRefused: .unauthorized
        case .noBus: busError == nil ? .unknown : absence
        case .noDaemon: absence
        case .unknown: .unknown
        case .known: adapter(named: name).map { $0.isPowered ? .poweredOn : .poweredOff } ?? .unsupported
        }
    }

    /// The state without bluetoothd: only a bluetoothd that has answered before can be lost.
    private var absence: ManagerState { wasKnown ? .resetting : .unsupported }

    func device(_ address: String, on adapter: String) -> String? {
        tree.paths(with: Interface.device, below: adapter).first { path in
            tree[path, Interface.device]?["Address"]?.string?.uppercased() == address.uppercased()
        }
    }

    func peripherals(on adapter: String) -> [Discovery] {
        tree.paths(with: Interface.device, below: adapter).compactMap { path in
            tree[path, Interface.device].flatMap(Discovery.init)
        }
    }
}

extension Discovery {
    init?(_ device: ObjectTree.Properties) {
        guard let address = device["Address"]?.string else { return nil }
        let rssi = device["RSSI"]?.integer.flatMap { Int16(exactly: $0) }
        let isConnected = Self.isConnected(device)
        self.init(
            address: address, name: device["Name"]?.string?.plain(), rssi: rssi == Self.notAvailable ? nil : rssi,
            services: (device["UUIDs"]?.strings ?? []).compactMap { BluetoothUUID($0) }, isConnected: isConnected,
            isInSight: isConnected || rssi != nil, manufacturerData: Self.manufacturerData(device["ManufacturerData"]),
            serviceData: Self.serviceData(device["ServiceData"]),
            txPower: device["TxPower"]?.integer.flatMap { Int8(exactly: $0) }.map { Int16($0) })
    }

    /// `a{qv}`, each value an array of bytes; what is something else is left out.
    private static func manufacturerData(_ value: DBusValue?) -> [UInt16: [UInt8]] {
        (value?.dictionary ?? [:]).reduce(into: [:]) { data, entry in
            guard let company = entry.key.integer.flatMap({ UInt16(exactly: $0) }), let bytes = entry.value.bytes
            else { return }
            data[company] = bytes
        }
    }

    /// `a{sv}`, each value an array of bytes; what is something else is left out.
    private static func serviceData(_ value: DBusValue?) -> [BluetoothUUID: [UInt8]] {
        (value?.properties ?? [:]).reduce(into: [:]) { data, entry in
            guard let uuid = BluetoothUUID(entry.key), let bytes = entry.value.bytes else { return }
            data[uuid] = bytes
        }
    }

    /// The RSSI of a controller that does not know it (Core Specification, Vol 4, Part E, 7.7.65.2).
    private static let notAvailable: Int16 = 127

    /// bluetoothd 5.66 does not always signal that a device is connected: its `att_connect_cb` may have noted it
    /// before what signals it, `device_add_connection`, comes to it. It always signals when the services are known,
    /// and the end.
    static func isConnected(_ device: ObjectTree.Properties) -> Bool {
        device["Connected"]?.boolean == true || device["ServicesResolved"]?.boolean == true
    }
}

extension BusError {
    /// The reason without the part that ``CentralError`` adds itself.
    fileprivate var reason: String {
        switch self {
        case .disconnected(let why): why
        case .refused(_, let message) where isRefusal && !message.isEmpty: message
        case .noOwner, .timedOut, .cancelled, .refused, .unreadable: description
        }
    }
}
