import DBus
import Plumbing
import Synchronization

/// Finds, connects, reads, writes and subscribes to peripherals: CoreBluetooth's `CBCentralManager`, over BlueZ.
///
///     try await CentralManager.use { central in
///         let peripheral = try await central.connect("DC:A6:32:01:02:03")
///         let level = try await peripheral.readValue(for: peripheral.characteristic(BluetoothUUID(0x2A19)))
///     }
///
/// It asks bluetoothd, and never the adapter itself. It follows bluetoothd over restarts, and the adapter as it is
/// switched off and on, for as long as ``run()`` runs. Every wait is bounded, unless its documentation names an exception.
public final class CentralManager: Sendable {
    /// The time that bluetoothd and the adapter have to be ready before an error is thrown.
    static let readiness = Duration.seconds(2)

    let mirror: ObjectMirror
    let discovery: DiscoveryDriver
    let adapter: String?

    /// Touches nothing yet; see ``run()``.
    ///
    /// - Parameters:
    ///   - adapter: such as `hci0`; nil: the first that has power.
    ///   - bus: D-Bus's address of the bus that bluetoothd is on; nil: the system's.
    public init(adapter: String? = nil, bus: String? = nil) {
        self.adapter = adapter
        mirror = ObjectMirror(address: bus)
        discovery = DiscoveryDriver(mirror: mirror, adapter: adapter)
    }

    /// Follows bluetoothd until it is cancelled. Nothing else does anything before it runs.
    public func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.discovery.run() }
            group.addTask { await self.mirror.run() }
        }
    }

    /// Runs a central for as long as `body` takes.
    public static func use<Value: Sendable>(
        adapter: String? = nil, bus: String? = nil, _ body: (CentralManager) async throws -> Value
    ) async throws -> Value {
        let central = CentralManager(adapter: adapter, bus: bus)
        // Its own task: when this one is cancelled, `body` still has to disconnect.
        let running = Task { await central.run() }
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(central))
        } catch {
            result = .failure(error)
        }
        running.cancel()
        await running.value
        return try result.get()
    }

    // MARK: The manager's state

    /// The present state of Bluetooth.
    public var state: ManagerState { mirror.view.state(adapter: adapter) }

    /// The present state, then each later one that is current when the next is asked for, until the task is cancelled.
    public func states() -> AsyncStream<ManagerState> {
        let last = Mutex<ManagerState?>(nil)
        return AsyncStream {
            let before = last.withLock { $0 }
            let next = try? await self.mirror.wait(until: nil, for: .adapters) { view -> ManagerState? in
                let state = view.state(adapter: self.adapter)
                return state == before ? nil : state
            }
            last.withLock { $0 = next ?? before }
            return next
        }
    }

    /// Returns the adapter as soon as it can be worked with.
    ///
    /// - Throws: The obstacle, if Bluetooth is not ready in time.
    func ready() async throws(CentralError) -> ObjectMirror.View.Adapter {
        let soon = ContinuousClock.now + Self.readiness
        let adapter = try await mirror.wait(until: soon, for: .adapters) { view in
            view.workingAdapter(named: self.adapter)
        }
        if let adapter { return adapter }
        let late = try await mirror.wait(until: soon + ObjectMirror.replyTimeout, for: .adapters) {
            view throws(CentralError) -> ObjectMirror.View.Adapter? in
            if let obstacle = view.obstacle(adapter: self.adapter) { throw obstacle }
            return view.workingAdapter(named: self.adapter)
        }
        guard let late else { throw .timedOut(what: "bluetoothd", after: Self.readiness + ObjectMirror.replyTimeout) }
        return late
    }

    /// The reason why Bluetooth cannot be used at present; `nil` if it can, or if nothing is known yet.
    public var obstacle: CentralError? { mirror.view.obstacle(adapter: adapter) }

    // MARK: Finding peripherals

    /// Looks for peripherals: each that is found, that changes or that is not heard any more. Bluetooth may be
    /// switched off and on meanwhile, and bluetoothd may restart.
    ///
    /// Discovery goes on from this call until the sequence is released. What changes more often than it is asked for
    /// comes as it is then. The sequence ends when its task is cancelled, or with a ``CentralError`` when Bluetooth
    /// cannot be worked with at its beginning.
    ///
    /// - Parameter services: those that advertise one of these; empty: all.
    public func scanForPeripherals(
        withServices services: [BluetoothUUID] = []
    ) -> AsyncThrowingStream<Discovery, any Error> {
        let scan = PeripheralScan(self, Set(services))
        return AsyncThrowingStream { try await scan.next() }
    }

    /// The peripherals that bluetoothd knows now, whether they are in sight or not.
    public func knownPeripherals() async throws(CentralError) -> [Discovery] {
        let adapter = try await ready()
        return mirror.view.peripherals(on: adapter.path)
    }
}

extension CentralManager {
    /// The time of looking for an advertisement before a connection to a known peripheral is tried without one.
    private static let scanTimeout = Duration.seconds(10)

    /// The number of attempts to connect: the first one fails by chance now and then.
    private static let attempts = 3

    private static let pause = Duration.seconds(1)

    /// The time that bluetoothd has to give up an attempt. It ends a link that is there already within two seconds.
    private static let cancelTimeout = Duration.seconds(5)

    /// Connects a peripheral and discovers its services (`org.bluez.Device1`, Connect).
    ///
    /// When the task is cancelled or the time is up, bluetoothd gives up the attempt as well; a connection that was
    /// there before stays.
    ///
    /// - Parameters:
    ///   - address: its address, `DC:A6:32:01:02:03`.
    ///   - limit: for all of it; it is looked for during a third of that, ten seconds at most.
    /// - Throws: ``CentralError/notFound(address:after:)``, ``CentralError/connectionFailed(address:reason:)``,
    ///   ``CentralError/timedOut(what:after:)``, ``CentralError/cancelled``, or what is wrong with Bluetooth.
    public func connect(
        _ address: String, within limit: Duration = .seconds(40)
    ) async throws(CentralError) -> Peripheral {
        let deadline = ContinuousClock.now + limit
        let adapter = try await ready()
        let device = try await find(address, on: adapter, within: min(Self.scanTimeout, limit / 3))
        var failure: CentralError?
        for attempt in 1...Self.attempts where ContinuousClock.now < deadline {
            if attempt > 1 { guard await Self.pause.elapsed() else { throw .cancelled } }
            do throws(CentralError) {
                try await connect(device, address: address, until: deadline)
                return Peripheral(address: address, manager: self)
            } catch .connectionFailed(let address, let reason) {
                failure = .connectionFailed(address: address, reason: reason)
            }
        }
        throw failure ?? .timedOut(what: "the connection to \(address)", after: limit)
    }

    /// Ends a connection, also of another program, or an attempt to connect (`org.bluez.Device1`, Disconnect).
    ///
    /// - Throws: ``CentralError/timedOut(what:after:)``, ``CentralError/cancelled``, or what bluetoothd has against it.
    ///   That there is no connection is not an error.
    public func cancelPeripheralConnection(_ address: String) async throws(CentralError) {
        guard let adapter = mirror.view.workingAdapter(named: adapter),
            let device = mirror.view.device(address, on: adapter.path)
        else { return }
        do throws(BusError) {
            _ = try await mirror.call(device, Interface.device, "Disconnect")
        } catch .refused("org.bluez.Error.NotConnected", _), .noOwner {
        } catch {
            if !error.saysItIsGone {
                throw CentralError(error, what: "the disconnection of \(address)", limit: ObjectMirror.replyTimeout)
            }
        }
        // The answer may come before the news.
        _ = try await mirror.wait(until: .now + ObjectMirror.replyTimeout, for: .object(device)) { view in
            view.isConnected(device) ? nil : true
        }
    }

    /// The device object of a peripheral, which it has once it was heard.
    private func find(
        _ address: String, on adapter: ObjectMirror.View.Adapter, within limit: Duration
    ) async throws(CentralError) -> String {
        if let device = mirror.view.device(address, on: adapter.path), mirror.view.isInSight(device) { return device }
        let address = address.uppercased()
        let request = discovery.request(DiscoveryFilter(address: address))
        defer { request.end() }
        let interest = Interest.devices { $0["Address"]?.string?.uppercased() == address }
        let heard = try await mirror.wait(until: .now + limit, for: interest) {
            view throws(CentralError) -> String? in
            if let obstacle = view.obstacle(adapter: self.adapter) { throw obstacle }
            return view.device(address, on: adapter.path).flatMap { view.isInSight($0) ? $0 : nil }
        }
        guard let device = heard ?? mirror.view.device(address, on: adapter.path) else {
            throw .notFound(address: address, after: limit)
        }
        return device
    }

    /// One attempt. One that is cancelled or takes too long is over for bluetoothd as well.
    private func connect(
        _ device: String, address: String, until deadline: ContinuousClock.Instant
    ) async throws(CentralError) {
        let limit = ContinuousClock.now.duration(to: deadline)
        let wasConnected = mirror.view.isConnected(device)
        let reply = send(device, Interface.device, "Connect", within: limit)
        do throws(CentralError) {
            try await follow(reply, of: device, address: address, until: deadline)
        } catch {
            switch error {
            case .cancelled, .timedOut: if !wasConnected { await cancel(reply, of: device) }
            case .noBus, .noDaemon, .noAdapter, .poweredOff, .notPermitted, .notFound, .connectionFailed, .disconnected,
                .noCharacteristic, .notSupported, .refused, .unexpected:
                break
            }
            throw error
        }
    }

    /// From the call of Connect until the services are known.
    private func follow(
        _ reply: PendingReply, of device: String, address: String, until deadline: ContinuousClock.Instant
    ) async throws(CentralError) {
        let limit = ContinuousClock.now.duration(to: deadline)
        let result = try await answer(to: reply, within: limit, watching: .object(device)) { view in
            let isThere = view.tree[device, Interface.device] != nil
            return view.obstacle(adapter: self.adapter)
                ?? (isThere ? nil : .connectionFailed(address: address, reason: "bluetoothd has forgotten it"))
        }
        switch result {
        case .success, .failure(.refused("org.bluez.Error.AlreadyConnected", _)): break
        case .failure(.refused("org.bluez.Error.Failed", let reason)),
            .failure(.refused("org.bluez.Error.InProgress", let reason)):
            throw .connectionFailed(address: address, reason: reason)
        case .failure(let error) where error.saysItIsGone:
            throw .connectionFailed(address: address, reason: "bluetoothd has forgotten it")
        case .failure(let error): throw CentralError(error, what: "the connection to \(address)", limit: limit)
        }
        try await mirror.refresh()
        let isResolved = try await mirror.wait(until: deadline, for: .object(device)) {
            view throws(CentralError) -> Bool? in
            if let obstacle = view.obstacle(adapter: self.adapter) { throw obstacle }
            guard view.isConnected(device) else {
                throw .connectionFailed(address: address, reason: "the connection was lost at once")
            }
            return view.isResolved(device) ? true : nil
        }
        if isResolved == nil {
            throw .timedOut(what: "the discovery of the services of \(address)", after: limit)
        }
        try await mirror.refresh()
    }

    /// Has bluetoothd give up an attempt; otherwise it would connect to the peripheral if it is found later.
    private func cancel(_ reply: PendingReply, of device: String) async {
        // A task of its own: this one may be cancelled, and waits for nothing any more.
        let work = Task { [self, mirror] in
            for _ in 1...2 {
                let wasAnswered = reply.result != nil
                _ = try? await mirror.call(device, Interface.device, "Disconnect", within: Self.cancelTimeout)
                if wasAnswered { return }
                // Connect may have reached bluetoothd after it. Its answer proves that it has not.
                let result = try? await answer(to: reply, within: Self.pause, watching: .adapters) { _ in nil }
                if case .failure(let error) = result, error != .timedOut { return }
            }
        }
        await work.value
    }
}

extension BusError {
    /// Whether the object that was asked is no more, and with it the connection.
    fileprivate var saysItIsGone: Bool {
        switch self {
        case .refused("org.freedesktop.DBus.Error.UnknownObject", _),
            .refused("org.freedesktop.DBus.Error.UnknownMethod", _):
            true
        case .noOwner, .disconnected, .refused, .timedOut, .cancelled, .unreadable: false
        }
    }
}

extension ObjectMirror.View {
    func isConnected(_ device: String) -> Bool { tree[device, Interface.device].map(Discovery.isConnected) ?? false }

    func isResolved(_ device: String) -> Bool { tree[device, Interface.device]?["ServicesResolved"]?.boolean == true }

    func isInSight(_ device: String) -> Bool { isConnected(device) || tree[device, Interface.device]?["RSSI"] != nil }
}

extension CentralManager {
    /// The peripheral to keep connected.
    public enum Target: Sendable, Hashable {
        /// The one of this address, `DC:A6:32:01:02:03`.
        case address(String)
        /// A peripheral that has this service: the one with the strongest signal.
        case service(BluetoothUUID)
    }

    /// A change of a peripheral that is kept connected.
    public enum ConnectionEvent: Sendable, Hashable {
        /// It is connected, and its services are known; `name` is as it calls itself, if it does.
        case didConnect(address: String, name: String?)
        /// It went out of range, was switched off, or was lost with bluetoothd or the adapter.
        case didDisconnect(address: String, name: String?)
    }

    /// A peripheral that was connected when the program ended.
    public struct Remembered: Sendable, Hashable {
        /// Its address, `DC:A6:32:01:02:03`.
        public var address: String

        /// As it called itself; nil if it did not.
        public var name: String?

        /// A peripheral whose connection was announced by an earlier run of the program.
        public init(address: String, name: String?) {
            self.address = address
            self.name = name
        }
    }

    /// Scans for a peripheral, connects it, notices when it goes, and connects it again when it is back: without an
    /// end, until the sequence's task is cancelled. The connection stays then; an attempt that is under way is given
    /// up.
    ///
    /// A reader that leaves more than 256 events unread loses the oldest.
    ///
    /// - Parameters:
    ///   - target: The peripheral to connect; of several with the service, the one that is received strongest.
    ///   - remembered: The peripheral that was connected when the program ended. It is not announced again if it still
    ///     is, and disconnects if not.
    public func connections(to target: Target, remembered: Remembered? = nil) -> AsyncStream<ConnectionEvent> {
        AsyncStream(bufferingPolicy: .bufferingNewest(256)) { continuation in
            let task = Task {
                await self.keepConnected(to: target, remembered: remembered) { continuation.yield($0) }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    private func keepConnected(
        to target: Target, remembered: Remembered?, _ publish: (ConnectionEvent) -> Void
    ) async {
        var work = AutoConnect(machine: AutoConnectMachine(remembered: remembered), filter: target.filter)
        while !Task.isCancelled {
            let now = ContinuousClock.now
            let view = view(of: target, mirror.view)
            perform(work.machine.observed(view, at: now), &work, publish)
            if let address = work.attempt {
                work.attempt = nil
                let isConnected = (try? await connect(address)) != nil
                perform(work.machine.connectEnded(isConnected: isConnected, at: .now), &work, publish)
                continue
            }
            _ = try? await mirror.wait(until: work.machine.deadline(after: now), for: target.interest) {
                present -> Bool? in
                self.view(of: target, present) == view ? nil : true
            }
        }
        perform(work.machine.stopped(), &work, publish)
    }

    private struct AutoConnect {
        var machine: AutoConnectMachine
        let filter: DiscoveryFilter
        var scan: DiscoveryRequest?
        var attempt: String?
    }

    private func perform(
        _ actions: [AutoConnectMachine.Action], _ work: inout AutoConnect, _ publish: (ConnectionEvent) -> Void
    ) {
        for action in actions {
            switch action {
            case .startScan: work.scan = discovery.request(work.filter)
            case .stopScan: work.scan = nil
            case .connect(let address): work.attempt = address
            case .didConnect(let known): publish(.didConnect(address: known.address, name: known.name))
            case .didDisconnect(let known): publish(.didDisconnect(address: known.address, name: known.name))
            }
        }
    }

    private func view(of target: Target, _ view: ObjectMirror.View) -> AutoConnectMachine.View {
        guard let adapter = view.workingAdapter(named: adapter) else {
            return .init(isAvailable: false, candidates: [])
        }
        let candidates = view.peripherals(on: adapter.path).filter { target.matches($0) }.map { peripheral in
            let device = view.device(peripheral.address, on: adapter.path)
            return AutoConnectMachine.Candidate(
                known: .init(address: peripheral.address, name: peripheral.name), rssi: peripheral.rssi,
                isInSight: peripheral.isInSight, isConnected: peripheral.isConnected,
                isResolved: device.map { view.isResolved($0) } ?? false)
        }
        return .init(isAvailable: true, candidates: candidates)
    }
}

extension CentralManager.Target {
    var filter: DiscoveryFilter {
        switch self {
        case .address(let address): DiscoveryFilter(address: address.uppercased())
        case .service(let service): DiscoveryFilter(services: [service])
        }
    }

    /// The devices that may be the one.
    var interest: Interest {
        switch self {
        case .address(let address):
            let address = address.uppercased()
            return .devices { $0["Address"]?.string?.uppercased() == address }
        case .service(let service):
            let uuid = service.full
            return .devices { $0["UUIDs"]?.strings?.contains { $0.lowercased() == uuid } ?? false }
        }
    }

    func matches(_ peripheral: Discovery) -> Bool {
        switch self {
        case .address(let address): peripheral.address.uppercased() == address.uppercased()
        case .service(let service): peripheral.services.contains(service)
        }
    }
}

/// The answer of bluetoothd to a call, or that there is none yet. The call goes on when a caller stops waiting for it.
final class PendingReply: Sendable {
    private let value = Mutex<Result<[DBusValue], BusError>?>(nil)

    /// The answer; nil as long as there is none.
    var result: Result<[DBusValue], BusError>? { value.withLock { $0 } }

    fileprivate func set(_ result: Result<[DBusValue], BusError>) { value.withLock { $0 = result } }
}

extension CentralManager {
    /// Calls a method of bluetoothd, without waiting for it.
    func send(
        _ path: String, _ interface: String, _ method: String, _ arguments: [DBusValue] = [], within limit: Duration
    ) -> PendingReply {
        let reply = PendingReply()
        Task { [mirror] in
            do throws(BusError) {
                reply.set(.success(try await mirror.call(path, interface, method, arguments, within: limit)))
            } catch {
                reply.set(.failure(error))
            }
            mirror.wakeAll()
        }
        return reply
    }

    /// Waits for an answer. An event that makes it vain to wait ends the wait, with or without an answer of bluetoothd.
    ///
    /// - Parameters:
    ///   - interest: The objects that `obstacle` reads.
    ///   - obstacle: Returns the error that makes the call useless, if there is one.
    func answer(
        to reply: PendingReply, within limit: Duration, watching interest: Interest,
        unless obstacle: (ObjectMirror.View) -> CentralError?
    ) async throws(CentralError) -> Result<[DBusValue], BusError> {
        let result = try await mirror.wait(until: .now + limit, for: interest) {
            view throws(CentralError) -> Result<[DBusValue], BusError>? in
            if let result = reply.result { return result }
            if let obstacle = obstacle(view) { throw obstacle }
            return nil
        }
        return result ?? .failure(.timedOut)
    }
}
