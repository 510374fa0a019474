extension CentralManager {
    /// Which peripheral is to be kept connected.
    public enum Target: Sendable, Hashable {
        case address(String)
        /// One that has this service; which one, whoever is heard loudest.
        case service(BluetoothUUID)
    }

    /// What becomes of a peripheral that is kept connected.
    public enum ConnectionEvent: Sendable, Hashable {
        /// Its services are known.
        case didConnect(address: String, name: String?)
        case didDisconnect(address: String, name: String?)
    }

    /// A peripheral that was connected when the program ended.
    public struct Remembered: Sendable, Hashable {
        public var address: String
        public var name: String?

        public init(address: String, name: String?) {
            self.address = address
            self.name = name
        }
    }

    /// Looks for a peripheral, connects it, notices when it goes, and connects it again when it is back: without an end,
    /// until its task is cancelled. The connection stays then.
    ///
    /// - Parameters:
    ///   - target: which one. Of several that have the service it is the loudest.
    ///   - remembered: what was connected when the program ended. It is not told of again if it still is, and disconnects if
    ///     not.
    public func connections(to target: Target, remembered: Remembered? = nil) -> AsyncStream<ConnectionEvent> {
        AsyncStream { continuation in
            let task = Task {
                await self.keep(target, remembered: remembered) { continuation.yield($0) }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    private func keep(
        _ target: Target, remembered: Remembered?, _ tell: (ConnectionEvent) -> Void
    ) async {
        var work = Keeping(
            keeper: ConnectionKeeper(remembered: remembered.map { .init(address: $0.address, name: $0.name) }),
            filter: target.filter)
        while !Task.isCancelled {
            let now = ContinuousClock.now
            let view = view(of: target, mirror.view)
            perform(work.keeper.observed(view, at: now), &work, tell)
            if let address = work.attempt {
                work.attempt = nil
                let isConnected = (try? await connect(address)) != nil
                perform(work.keeper.connectEnded(isConnected: isConnected, at: .now), &work, tell)
                continue
            }
            _ = try? await mirror.wait(until: work.keeper.deadline(after: now)) { present -> Bool? in
                self.view(of: target, present) == view ? nil : true
            }
        }
        perform(work.keeper.stopped(), &work, tell)
    }

    private struct Keeping {
        var keeper: ConnectionKeeper
        let filter: DiscoveryFilter
        var look: UInt64?
        /// The address that is to be connected.
        var attempt: String?
    }

    private func perform(
        _ actions: [ConnectionKeeper.Action], _ work: inout Keeping, _ tell: (ConnectionEvent) -> Void
    ) {
        for action in actions {
            switch action {
            case .beginLook: work.look = discovery.begin(work.filter)
            case .endLook:
                if let look = work.look { discovery.end(look) }
                work.look = nil
            case .connect(let address): work.attempt = address
            case .didConnect(let known): tell(.didConnect(address: known.address, name: known.name))
            case .didDisconnect(let known): tell(.didDisconnect(address: known.address, name: known.name))
            }
        }
    }

    private func view(of target: Target, _ view: ObjectMirror.View) -> ConnectionKeeper.View {
        guard let adapter = view.workingAdapter(named: adapter) else {
            return .init(isAvailable: false, candidates: [])
        }
        let candidates = view.peripherals(on: adapter.path).filter { target.matches($0) }.map { peripheral in
            let device = view.device(peripheral.address, on: adapter.path)
            return ConnectionKeeper.Candidate(
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

    func matches(_ peripheral: Discovery) -> Bool {
        switch self {
        case .address(let address): peripheral.address.uppercased() == address.uppercased()
        case .service(let service): peripheral.services.contains(service)
        }
    }
}
