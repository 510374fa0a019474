import OkaeriDBus
import OkaeriPlumbing

/// Makes this machine a peripheral: offers services to centrals and advertises. CoreBluetooth's `CBPeripheralManager`, over
/// BlueZ, with handlers and asynchronous sequences in place of a delegate.
///
///     let level = MutableCharacteristic(BluetoothUUID(0x2A19), properties: [.read, .notify], read: { _ in [80] })
///     try await withPeripheralManager { manager in
///         try manager.add(MutableService(BluetoothUUID(0x180F), characteristics: [level]))
///         try manager.startAdvertising(Advertisement(.connectable, localName: "Lamp"))
///         for await event in manager.events { … }     // didStartAdvertising, didSubscribe, didFail, …
///     }
///
/// It touches nothing before its first use. From then on it follows bluetoothd: what was added and advertised stays so over restarts
/// of bluetoothd and while the adapter is switched off, blocked or unplugged and back, until ``stop()`` is called or the manager is
/// released; a sequence of the manager holds it, and so does a handler of a service that refers to it.
///
/// All methods may be called from any thread and any task.
public final class PeripheralManager: Sendable {
    /// An event of the peripheral.
    public enum Event: Sendable, Hashable {
        /// The state of Bluetooth has changed; the reason is the end of a sentence.
        case didUpdateState(ManagerState, reason: String)
        /// Centrals find the services, on this adapter.
        case didAddServices(adapter: String)
        /// The advertisement is on the air, by this adapter.
        case didStartAdvertising(adapter: String)
        /// bluetoothd does not take the services or the advertisement; it is tried again.
        case didFail(reason: String)
        /// A central asked for what it could not have.
        case didRefuse(ATTError, Central)
        /// A central has subscribed to the characteristic. bluetoothd reports each subscription, but does not name the central (StartNotify;
        /// `ccc_write_cb` in its `gatt-database.c`). A paired central stays subscribed while it is away: when it returns, it need not
        /// subscribe again, and this event does not come again.
        case didSubscribe(MutableCharacteristic.ID)
        /// No central is subscribed to the characteristic any more: the last one has unsubscribed or left (StopNotify), or the
        /// subscriptions were lost with bluetoothd, the adapter or a change of the services. bluetoothd does not report the end of a
        /// subscription while other centrals are subscribed.
        case didUnsubscribe(MutableCharacteristic.ID)
        /// bluetoothd has not confirmed that it has taken values: they may be lost, and are not sent again.
        case didFailToUpdateSubscribers(reason: String)
        /// ``PeripheralManager/updateValue(_:for:)`` accepts values again after ``UpdateResult/queueFull``.
        case isReadyToUpdateSubscribers
    }

    /// The result of ``PeripheralManager/updateValue(_:for:)``.
    public enum UpdateResult: Sendable, Hashable {
        /// The value waits for bluetoothd, which sends it to the subscribed centrals.
        case queued
        /// No central is subscribed: the value is dropped.
        case noSubscriber
        /// So many values wait for bluetoothd that this one is dropped. ``Event/isReadyToUpdateSubscribers`` follows.
        case queueFull
        /// The characteristic is not offered at present: it was not added, or Bluetooth is not ready. The value is dropped.
        case notServed
    }

    /// The number of events that a reader may leave unread, and that wait for the first one; of more the oldest are dropped, for centrals
    /// may cause any number of them.
    public static let backlog = 256

    private let worker: PeripheralEngine
    private let task: ManagerTask

    /// The work, which begins with the first use.
    private var engine: PeripheralEngine {
        task.start()
        return worker
    }

    /// Creates a manager, which touches nothing before its first use.
    ///
    /// - Parameters:
    ///   - adapter: The adapter, such as `hci0`; `nil` for the first that has power.
    ///   - bus: The D-Bus address of bluetoothd's bus, such as `unix:path=/run/dbus/system_bus_socket`; `nil` for the
    ///     system's.
    ///   - fallback: Advertises where the kernel refuses bluetoothd's commands; `nil`: nothing does.
    public init(adapter: String? = nil, bus: String? = nil, fallback: (any AdvertisingFallback)? = nil) {
        let worker = PeripheralEngine(adapter: adapter, bus: bus, fallback: fallback)
        self.worker = worker
        task = ManagerTask { await worker.run() }
    }

    deinit { stop() }

    /// Ends the manager for good: centrals find neither its services nor its advertisement, its sequences end, and every later
    /// request throws. ``withPeripheralManager(adapter:bus:fallback:_:)`` also waits until it has left the bus.
    public func stop() {
        worker.stop()
        task.stop()
    }

    /// Ends the manager, and returns when it has left the bus.
    func end() async {
        stop()
        await task.ended()
    }

    // MARK: The manager's state

    /// The present state of Bluetooth; ``ManagerState/unknown`` until bluetoothd has answered for the first time.
    public var state: ManagerState { engine.state }

    /// The present state, then each later one that is current when the next is asked for, until the task is cancelled or
    /// the manager stopped. Each access creates a sequence of its own, for one reader.
    public var states: AsyncStream<ManagerState> { sequence(of: engine.states, backlog: 1) }

    /// Whether this process may use Bluetooth, as far as that is known at present; ``obstacle`` has the reason.
    public var authorization: ManagerAuthorization { ManagerAuthorization(state) }

    /// Waits until it is known whether this process may use Bluetooth. Linux asks the user nothing; the answer is that of
    /// the bus and of bluetoothd, and ``obstacle`` has the reason of another one than ``ManagerAuthorization/authorized``.
    ///
    /// - Parameter limit: The time limit.
    /// - Returns: ``ManagerAuthorization/notDetermined`` if the time is up, the task is cancelled or the manager stopped.
    public func authorize(within limit: Duration = .seconds(10)) async -> ManagerAuthorization {
        let states = states
        return await withTaskGroup(of: ManagerAuthorization.self) { group in
            group.addTask {
                for await state in states where ManagerAuthorization(state) != .notDetermined {
                    return ManagerAuthorization(state)
                }
                return .notDetermined
            }
            group.addTask {
                await limit.elapsed()
                return .notDetermined
            }
            defer { group.cancelAll() }
            return await group.next() ?? .notDetermined
        }
    }

    /// The reason why Bluetooth cannot be used at present; `nil` if it can, or if nothing is known yet.
    public var obstacle: PeripheralError? { engine.obstacle }

    /// The events from this access on, in order, until the reader's task is cancelled or the manager stopped. Each access creates a
    /// sequence of its own, for one reader; the first one also has the events before it. See ``backlog``.
    public var events: AsyncStream<Event> { sequence(of: engine.events, backlog: Self.backlog) }

    private func sequence<Value: Sendable>(of values: Broadcast<Value>, backlog: Int) -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(backlog))
        // The sequence holds the manager: a program that only reads would otherwise end it.
        values.feed(continuation) { value in withExtendedLifetime(self) { value } }
        return stream
    }

    // MARK: Services

    /// Offers a service (`org.bluez.GattManager1`, RegisterApplication). Centrals that are connected learn that the services have changed
    /// (Core Specification, Vol 3, Part G, 7.1), and must subscribe again: bluetoothd registers all services anew.
    ///
    /// - Throws: ``PeripheralError``, when bluetoothd could not offer it, or the manager was stopped.
    public func add(_ service: MutableService) throws(PeripheralError) {
        try engine.update { desired throws(PeripheralError) in try desired.add(service) }
    }

    /// Withdraws a service. Services that include it are offered without it.
    public func remove(_ service: MutableService.ID) {
        worker.withdraw { $0.remove { $0.id == service } }
    }

    /// Withdraws all services.
    public func removeAllServices() {
        worker.withdraw { $0.remove { _ in true } }
    }

    /// Notifies or indicates a value to the centrals that have subscribed to the characteristic. To each goes as much
    /// as its ``Central/maximumUpdateValueLength`` allows, and 512 bytes at most.
    ///
    /// At most 64 values, and 16 KiB of values, wait for bluetoothd. bluetoothd does not report whether a central has received a
    /// notification, and does not name the central that confirms an indication.
    ///
    /// - Parameters:
    ///   - value: The value; at most ``MutableCharacteristic/longestValue`` bytes of it are sent.
    ///   - characteristic: The ``MutableCharacteristic/id`` of the characteristic.
    /// - Returns: Whether the value was taken, and why not.
    @discardableResult
    public func updateValue(_ value: [UInt8], for characteristic: MutableCharacteristic.ID) -> UpdateResult {
        worker.updateValue(value, for: characteristic)
    }

    // MARK: Advertising

    /// Whether the advertisement is on the air. It stays `true` while the advertisement is renewed after a connection, and after
    /// ``stopAdvertising()`` until the manager's task has requested the end of the advertisement.
    public var isAdvertising: Bool { worker.isAdvertising }

    /// Advertises, in place of what was advertised before (`org.bluez.LEAdvertisingManager1`, RegisterAdvertisement).
    ///
    /// - Throws: ``AdvertisementError``, when it does not fit, or the manager was stopped.
    public func startAdvertising(_ advertisement: Advertisement) throws(AdvertisementError) {
        try advertisement.check()
        do throws(PeripheralError) {
            try engine.update { $0.advertise(advertisement) }
        } catch {
            throw .notAccepted(reason: error.description)
        }
    }

    /// Stops advertising.
    public func stopAdvertising() {
        worker.withdraw { $0.advertise(nil) }
    }
}

/// Runs a peripheral for as long as `body` takes, and returns when it has left the bus: then centrals find neither its services nor its
/// advertisement.
///
/// - Parameters:
///   - adapter: The adapter, such as `hci0`; `nil` for the first that has power.
///   - bus: The D-Bus address of bluetoothd's bus; `nil` for the system's.
///   - fallback: Advertises where the kernel refuses bluetoothd's commands; `nil`: nothing does.
///   - body: Uses the peripheral.
/// - Returns: The result of `body`.
/// - Throws: The error of `body`.
public func withPeripheralManager<Value: Sendable, Failure: Error>(
    adapter: String? = nil, bus: String? = nil, fallback: (any AdvertisingFallback)? = nil,
    _ body: (PeripheralManager) async throws(Failure) -> Value
) async throws(Failure) -> Value {
    let manager = PeripheralManager(adapter: adapter, bus: bus, fallback: fallback)
    do throws(Failure) {
        let value = try await body(manager)
        await manager.end()
        return value
    } catch {
        await manager.end()
        throw error
    }
}

/// A device that reads or writes here. CoreBluetooth's `CBCentral`.
public struct Central: Sendable, Hashable {
    /// bluetoothd's object of it: the same for as long as bluetoothd knows it.
    public let identifier: String

    /// The maximum length of a value in a notification to it, in bytes.
    public let maximumUpdateValueLength: Int

    /// The least that every link can carry (Core Specification, Vol 3, Part G, 5.2.1).
    private static let leastMTU = 23

    /// The Bluetooth address, which may rotate: `AA:BB:CC:DD:EE:FF`; the identifier where that names none.
    public var address: String {
        let name = identifier.split(separator: "/").last ?? ""
        guard name.hasPrefix("dev_") else { return identifier }
        return String(name.dropFirst(4).map { $0 == "_" ? ":" : $0 })
    }

    /// - Parameter options: of `ReadValue` or `WriteValue`.
    init(_ options: [String: DBusValue]) {
        identifier = options["device"]?.string ?? ""
        maximumUpdateValueLength = max(options["mtu"]?.integer ?? 0, Self.leastMTU) - 3
    }
}
