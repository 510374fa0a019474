import OkaeriDBus
import OkaeriPlumbing

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
        /// It went out of range, was switched off, or was lost with bluetoothd or the adapter; `reason` is that of
        /// bluetoothd 5.82 and later, and `nil` with an earlier one.
        case didDisconnect(address: String, name: String?, reason: DisconnectionReason?)
        /// It was received, and the connection failed. It is tried again, after longer and longer pauses. A failure is
        /// published once for each reason until a connection succeeds; a reason in turn with another is not repeated.
        ///
        /// A peripheral that is not found, and Bluetooth that is off, are not failures. After 32 reasons further ones are not published.
        case didFailToConnect(address: String, name: String?, reason: CentralError)
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
    /// end, until the sequence's task is cancelled or the manager stopped. The connection stays then; an attempt that is under way is given
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

    /// Keeps a peripheral of a scan connected; see ``connections(to:remembered:)-(CentralManager.Target,_)``.
    ///
    /// - Parameters:
    ///   - discovery: The peripheral.
    ///   - remembered: The peripheral that was connected when the program ended.
    public func connections(to discovery: Discovery, remembered: Remembered? = nil) -> AsyncStream<ConnectionEvent> {
        connections(to: .address(discovery.address), remembered: remembered)
    }

    private func keepConnected(
        to target: Target, remembered: Remembered?, _ publish: (ConnectionEvent) -> Void
    ) async {
        var work = AutoConnect(machine: AutoConnectMachine(remembered: remembered), filter: target.filter)
        while !Task.isCancelled {
            let now = ContinuousClock.now
            let view = view(of: target, mirror.view)
            perform(work.machine.observed(view, at: now), &work, publish)
            if let known = work.attempt {
                work.attempt = nil
                let failure = await failure(of: known.address)
                perform(work.machine.connectEnded(failure, at: .now), &work, publish)
                continue
            }
            do throws(CentralError) {
                _ = try await mirror.wait(until: work.machine.deadline(after: now), for: target.interest) {
                    present -> Bool? in
                    self.view(of: target, present) == view ? nil : true
                }
            } catch {
                // Cancelled or stopped: the look throws nothing.
                break
            }
        }
        perform(work.machine.stopped(), &work, publish)
    }

    /// Connects a peripheral. Returns the error, if it fails.
    private func failure(of address: String) async -> CentralError? {
        do throws(CentralError) {
            _ = try await connect(address)
            return nil
        } catch {
            return error
        }
    }

    private struct AutoConnect {
        var machine: AutoConnectMachine
        let filter: DiscoveryFilter
        var scan: DiscoveryRequest?
        var attempt: Remembered?
        /// The number of the peripheral's last end when it was connected.
        var ends: UInt64 = 0
    }

    private func perform(
        _ actions: [AutoConnectMachine.Action], _ work: inout AutoConnect, _ publish: (ConnectionEvent) -> Void
    ) {
        for action in actions {
            switch action {
            case .startScan: work.scan = discovery.request(work.filter)
            case .stopScan: work.scan = nil
            case .connect(let known): work.attempt = known
            case .didConnect(let known):
                work.ends = mirror.view.ends.number(of: known.address)
                publish(.didConnect(address: known.address, name: known.name))
            case .didDisconnect(let known):
                let reason = mirror.view.ends.reason(of: known.address, after: work.ends)
                publish(.didDisconnect(address: known.address, name: known.name, reason: reason))
            case .didFailToConnect(let known, let reason):
                publish(.didFailToConnect(address: known.address, name: known.name, reason: reason))
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
                isResolved: device.map { view.isResolved($0) } ?? false,
                lastEnd: view.ends.number(of: peripheral.address))
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
