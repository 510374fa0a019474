import DBus
import Synchronization

extension CentralManager {
    /// How long a peripheral is looked for before it is tried unheard, if bluetoothd knows it.
    private static let lookTime = Duration.seconds(10)

    /// How often a connection is tried: the first attempt fails by chance now and then.
    private static let attempts = 3

    private static let pause = Duration.seconds(1)

    /// Connects a peripheral and discovers its services.
    ///
    /// - Parameters:
    ///   - address: its address.
    ///   - limit: for all of it; it is looked for during a third of that, ten seconds at most.
    public func connect(
        _ address: String, within limit: Duration = .seconds(40)
    ) async throws(CentralError) -> Peripheral {
        let deadline = ContinuousClock.now + limit
        let adapter = try await ready()
        let device = try await find(address, on: adapter, within: min(Self.lookTime, limit / 3))
        var failure: CentralError?
        for attempt in 1...Self.attempts where ContinuousClock.now < deadline {
            if attempt > 1 { try? await Task.sleep(for: Self.pause) }
            do throws(CentralError) {
                try await connect(device, address: address, until: deadline)
                return Peripheral(address: address, manager: self)
            } catch .connectionFailed(let address, let reason) {
                failure = .connectionFailed(address: address, reason: reason)
            }
        }
        throw failure ?? .timedOut(what: "the connection to \(address)", after: limit)
    }

    /// Ends the connection to a peripheral, whoever has made it.
    public func cancelPeripheralConnection(_ address: String) async throws(CentralError) {
        guard let adapter = mirror.view.workingAdapter(named: adapter),
            let device = mirror.view.device(address, on: adapter.path)
        else { return }
        do throws(BusError) {
            _ = try await mirror.call(device, Interface.device, "Disconnect")
        } catch .refused("org.bluez.Error.NotConnected", _), .nobody {
        } catch {
            if !error.saysItIsGone {
                throw CentralError(error, what: "the disconnection of \(address)", limit: ObjectMirror.patience)
            }
        }
        // The answer may come before the news.
        _ = try await mirror.wait(until: .now + ObjectMirror.patience) { view in
            view.isConnected(device) ? nil : true
        }
    }

    /// The device object of a peripheral, which it has once it was heard.
    private func find(
        _ address: String, on adapter: ObjectMirror.View.Adapter, within limit: Duration
    ) async throws(CentralError) -> String {
        if let device = mirror.view.device(address, on: adapter.path), mirror.view.isInSight(device) { return device }
        let look = discovery.begin(DiscoveryFilter(address: address.uppercased()))
        defer { discovery.end(look) }
        let heard = try await mirror.wait(until: .now + limit) { view throws(CentralError) -> String? in
            if let obstacle = view.obstacle(adapter: self.adapter) { throw obstacle }
            return view.device(address, on: adapter.path).flatMap { view.isInSight($0) ? $0 : nil }
        }
        guard let device = heard ?? mirror.view.device(address, on: adapter.path) else {
            throw .notFound(address: address, after: limit)
        }
        return device
    }

    /// One attempt.
    private func connect(
        _ device: String, address: String, until deadline: ContinuousClock.Instant
    ) async throws(CentralError) {
        let limit = ContinuousClock.now.duration(to: deadline)
        let what = "the connection to \(address)"
        let result = try await ask(device, Interface.device, "Connect", within: limit) { view in
            let isThere = view.tree[device, Interface.device] != nil
            return view.obstacle(adapter: self.adapter)
                ?? (isThere ? nil : .connectionFailed(address: address, reason: "bluetoothd has forgotten it"))
        }
        switch result {
        case .success, .failure(.refused("org.bluez.Error.AlreadyConnected", _)): break
        case .failure(.timedOut):
            // bluetoothd would go on trying.
            _ = try? await mirror.call(device, Interface.device, "Disconnect")
            throw .timedOut(what: what, after: limit)
        case .failure(.refused("org.bluez.Error.Failed", let reason)),
            .failure(.refused("org.bluez.Error.InProgress", let reason)):
            throw .connectionFailed(address: address, reason: reason)
        case .failure(let error) where error.saysItIsGone:
            throw .connectionFailed(address: address, reason: "bluetoothd has forgotten it")
        case .failure(let error): throw CentralError(error, what: what, limit: limit)
        }
        try await mirror.refresh()
        let isResolved = try await mirror.wait(until: deadline) { view throws(CentralError) -> Bool? in
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

    /// Asks bluetoothd for something that takes a peripheral. What makes it vain to wait ends the wait, whether bluetoothd
    /// says so or not.
    func ask(
        _ path: String, _ interface: String, _ method: String, _ arguments: [DBusValue] = [], within limit: Duration,
        unless obstacle: (ObjectMirror.View) -> CentralError?
    ) async throws(CentralError) -> Result<[DBusValue], BusError> {
        let answer = Answer()
        let call = Task { [mirror] in
            do throws(BusError) {
                answer.set(.success(try await mirror.call(path, interface, method, arguments, within: limit)))
            } catch {
                answer.set(.failure(error))
            }
            mirror.ring()
        }
        defer { call.cancel() }
        let result = try await mirror.wait(until: .now + limit) {
            view throws(CentralError) -> Result<[DBusValue], BusError>? in
            if let result = answer.get() { return result }
            if let obstacle = obstacle(view) { throw obstacle }
            return nil
        }
        return result ?? .failure(.timedOut)
    }
}

/// An answer that is there, or is not yet.
private final class Answer: Sendable {
    private let result = Mutex<Result<[DBusValue], BusError>?>(nil)

    func set(_ value: Result<[DBusValue], BusError>) { result.withLock { $0 = value } }
    func get() -> Result<[DBusValue], BusError>? { result.withLock { $0 } }
}

extension BusError {
    /// Whether the object that was asked is no more, and with it the connection.
    fileprivate var saysItIsGone: Bool {
        switch self {
        case .refused("org.freedesktop.DBus.Error.UnknownObject", _),
            .refused("org.freedesktop.DBus.Error.UnknownMethod", _):
            true
        case .nobody, .disconnected, .refused, .timedOut, .cancelled, .unreadable: false
        }
    }
}

extension ObjectMirror.View {
    func isConnected(_ device: String) -> Bool { tree[device, Interface.device].map(Discovery.isConnected) ?? false }

    /// Whether it is known what services it has.
    func isResolved(_ device: String) -> Bool { tree[device, Interface.device]?["ServicesResolved"]?.boolean == true }

    func isInSight(_ device: String) -> Bool { isConnected(device) || tree[device, Interface.device]?["RSSI"] != nil }
}
