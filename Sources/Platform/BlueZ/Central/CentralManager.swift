import DBus
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
