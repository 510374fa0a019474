import OkaeriDBus
import OkaeriPlumbing
import Synchronization

/// Finds, connects, reads, writes and subscribes to peripherals: CoreBluetooth's `CBCentralManager`, over BlueZ.
///
///     try await withCentralManager { central in
///         let peripheral = try await central.connect("DC:A6:32:01:02:03")
///         let level = try await peripheral.readValue(for: peripheral.characteristic(BluetoothUUID(0x2A19)))
///     }
///
/// It asks bluetoothd, and never the adapter itself. It touches nothing before its first use. From then on it follows
/// bluetoothd over restarts, and the adapter as it is switched off and on, until ``stop()`` is called or the manager is
/// released; a peripheral and a sequence of the manager hold it. Every wait is bounded, unless its documentation names an
/// exception.
public final class CentralManager: Sendable {
    /// The time that bluetoothd and the adapter have to be ready before an error is thrown.
    static let readiness = Duration.seconds(2)

    private let objects: ObjectMirror
    private let driver: DiscoveryDriver
    private let task: ManagerTask
    let attempts = ConnectionAttempts()
    let adapter: String?

    /// bluetoothd's objects, which are followed from the first use on.
    var mirror: ObjectMirror {
        task.start()
        return objects
    }

    var discovery: DiscoveryDriver {
        task.start()
        return driver
    }

    /// Creates a manager, which touches nothing before its first use.
    ///
    /// - Parameters:
    ///   - adapter: The adapter, such as `hci0`; `nil` for the first that has power.
    ///   - bus: The D-Bus address of bluetoothd's bus, such as `unix:path=/run/dbus/system_bus_socket`; `nil` for the
    ///     system's.
    public init(adapter: String? = nil, bus: String? = nil) {
        let objects = ObjectMirror(address: bus)
        let driver = DiscoveryDriver(mirror: objects, adapter: adapter)
        (self.adapter, self.objects, self.driver) = (adapter, objects, driver)
        task = ManagerTask {
            await withDiscardingTaskGroup { group in
                group.addTask { await driver.run() }
                group.addTask { await objects.run() }
            }
        }
    }

    deinit { stop() }

    /// The time that bluetoothd has to give up the attempts to connect of a manager that ends.
    private static let attemptsLimit = Duration.seconds(2)

    /// Ends the manager for good: its sequences end, what waits throws ``CentralError/cancelled``, and so does every later
    /// request. The connections to peripherals stay; an attempt to connect is given up before the manager leaves the bus.
    public func stop() {
        objects.stop()
        task.stop { [attempts] in await attempts.ended(within: Self.attemptsLimit) }
    }

    /// Ends the manager, and returns when it has left the bus.
    func end() async {
        stop()
        await task.ended()
    }

    // MARK: The manager's state

    /// The present state of Bluetooth; ``ManagerState/unknown`` until bluetoothd has answered for the first time.
    public var state: ManagerState { mirror.view.state(adapter: adapter) }

    /// The present state, then each later one that is current when the next is asked for, until the task is cancelled or
    /// the manager stopped. Each access creates a sequence of its own, for one reader.
    public var states: AsyncStream<ManagerState> {
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

    /// Whether this process may use Bluetooth, as far as that is known at present; ``obstacle`` has the reason.
    public var authorization: ManagerAuthorization { ManagerAuthorization(state) }

    /// Waits until it is known whether this process may use Bluetooth. Linux asks the user nothing; the answer is that of
    /// the bus and of bluetoothd, and ``obstacle`` has the reason of another one than ``ManagerAuthorization/authorized``.
    ///
    /// - Parameter limit: The time limit.
    /// - Returns: ``ManagerAuthorization/notDetermined`` if the time is up, the task is cancelled or the manager stopped.
    public func authorize(within limit: Duration = .seconds(10)) async -> ManagerAuthorization {
        let known = try? await mirror.wait(until: .now + limit, for: .adapters) { view -> ManagerAuthorization? in
            let present = ManagerAuthorization(view.state(adapter: self.adapter))
            return present == .notDetermined ? nil : present
        }
        return known ?? .notDetermined
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
    ) -> CentralSequence<Discovery> {
        let scan = PeripheralScan(self, Set(services))
        return CentralSequence(AsyncThrowingStream { try await scan.next() })
    }

    /// Whether bluetoothd looks for peripherals at present because of this manager: for a scan, a connection or a
    /// peripheral to keep connected. It does not while Bluetooth is off.
    public var isScanning: Bool { driver.isRunning }

    /// The peripherals that bluetoothd knows now, whether they are in sight or not.
    public func knownPeripherals() async throws(CentralError) -> [Discovery] {
        let adapter = try await ready()
        return mirror.view.peripherals(on: adapter.path)
    }
}

/// Runs a central for as long as `body` takes, and returns when it has left the bus. The connections to peripherals stay.
///
/// - Parameters:
///   - adapter: The adapter, such as `hci0`; `nil` for the first that has power.
///   - bus: The D-Bus address of bluetoothd's bus; `nil` for the system's.
///   - body: Uses the central. If the task is cancelled, it can still disconnect a peripheral in a task of its own.
/// - Returns: The result of `body`.
/// - Throws: The error of `body`.
public func withCentralManager<Value: Sendable, Failure: Error>(
    adapter: String? = nil, bus: String? = nil, _ body: (CentralManager) async throws(Failure) -> Value
) async throws(Failure) -> Value {
    let central = CentralManager(adapter: adapter, bus: bus)
    do throws(Failure) {
        let value = try await body(central)
        await central.end()
        return value
    } catch {
        await central.end()
        throw error
    }
}
