import DBus
import Synchronization

/// Makes this machine a peripheral: offers services to centrals and advertises. CoreBluetooth's `CBPeripheralManager`,
/// with handlers and an `AsyncSequence` in place of a delegate.
///
/// bluetoothd does the work and goes on with everything else that it does. What was added and advertised stays so
/// while ``run()`` does, over restarts of bluetoothd and the adapter's being switched off, blocked or unplugged.
public final class PeripheralManager: Sendable {
    /// An event of the peripheral.
    public enum Event: Sendable, Hashable {
        /// The state of Bluetooth has changed; the reason is the end of a sentence.
        case didUpdateState(State, reason: String)
        /// Centrals find the services, on this adapter.
        case didAddServices(adapter: String)
        /// The advertisement is on the air, by this adapter.
        case didStartAdvertising(adapter: String)
        /// bluetoothd does not take the services or the advertisement; it is tried again.
        case didFail(reason: String)
        /// A central asked for what it could not have.
        case didRefuse(ATTError, Central)
    }

    /// The state of Bluetooth: `CBManagerState`.
    public typealias State = ManagerState

    /// The requested services and advertisement.
    struct Wishes: Sendable {
        var services: [MutableService] = []
        var advertisement: Advertisement?
        /// Counts the changes to each.
        var servicesVersion = 0
        var advertisementVersion = 0
    }

    /// The events, for one reader. The oldest are lost beyond 256 unread: centrals may cause any number of refusals.
    public let events: AsyncStream<Event>

    let adapter: String?
    let mirror: ObjectMirror
    let fallback: (any AdvertisingFallback)?
    private let continuation: AsyncStream<Event>.Continuation
    let wishes = Mutex(Wishes())
    /// The services as they are served now, and the bus to notify their values on.
    let served = Mutex<(application: GATTApplication, bus: Bus)?>(nil)

    /// Touches nothing yet; see ``run()``.
    ///
    /// - Parameters:
    ///   - adapter: such as `hci0`; nil: the first that is switched on.
    ///   - bus: The D-Bus address of bluetoothd's bus, as `unix:path=/run/dbus/system_bus_socket`; nil: the system's.
    ///   - fallback: Advertises where the kernel refuses bluetoothd's commands; `nil`: nothing does.
    public init(adapter: String? = nil, bus: String? = nil, fallback: (any AdvertisingFallback)? = nil) {
        self.adapter = adapter
        self.fallback = fallback
        mirror = ObjectMirror(address: bus)
        (events, continuation) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(256))
    }

    func publish(_ event: Event) { continuation.yield(event) }

    /// No more events.
    func finish() { continuation.finish() }

    /// Offers a service (`org.bluez.GattManager1`, RegisterApplication). Centrals that are connected learn that the
    /// services have changed (Core Specification, Vol 3, Part G, 7.1).
    public func add(_ service: MutableService) {
        wish { wishes in
            wishes.services.append(service)
            wishes.servicesVersion += 1
        }
    }

    /// Offers no service any more.
    public func removeAllServices() {
        wish { wishes in
            wishes.services = []
            wishes.servicesVersion += 1
        }
    }

    /// Advertises, in place of what was advertised before (`org.bluez.LEAdvertisingManager1`, RegisterAdvertisement).
    ///
    /// - Throws: ``AdvertisementError``, when it does not fit.
    public func startAdvertising(_ advertisement: Advertisement) throws(AdvertisementError) {
        try advertisement.check()
        wish { wishes in
            wishes.advertisement = advertisement
            wishes.advertisementVersion += 1
        }
    }

    /// Advertises no more.
    public func stopAdvertising() {
        wish { wishes in
            wishes.advertisement = nil
            wishes.advertisementVersion += 1
        }
    }

    /// Notifies or indicates a value to the centrals that have subscribed to the characteristic. To each goes as much
    /// as its ``Central/maximumUpdateValueLength`` allows.
    ///
    /// - Returns: Whether it was sent; `false` while no central can be reached.
    @discardableResult
    public func updateValue(_ value: [UInt8], for characteristic: BluetoothUUID) async -> Bool {
        guard let (application, bus) = served.withLock(\.self), let path = application.path(of: characteristic)
        else { return false }
        let value = Array(value.prefix(MutableCharacteristic.longestValue))
        // To bluetoothd alone: a signal to all would reach every user with a login.
        let sent: Void? = try? await bus.changed(
            ["Value": .bytes(value)], of: Interface.characteristic, at: path, to: Interface.service)
        return sent != nil
    }

    private func wish(_ change: (inout Wishes) -> Void) {
        wishes.withLock { change(&$0) }
        mirror.wakeAll()
    }
}
