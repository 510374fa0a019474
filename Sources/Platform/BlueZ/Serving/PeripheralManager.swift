import OkaeriDBus
import OkaeriPlumbing
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
    struct DesiredState: Sendable {
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
    let desired = Mutex(DesiredState())
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
        updateDesired { desired in
            desired.services.append(service)
            desired.servicesVersion += 1
        }
    }

    /// Offers no service any more.
    public func removeAllServices() {
        updateDesired { desired in
            desired.services = []
            desired.servicesVersion += 1
        }
    }

    /// Advertises, in place of what was advertised before (`org.bluez.LEAdvertisingManager1`, RegisterAdvertisement).
    ///
    /// - Throws: ``AdvertisementError``, when it does not fit.
    public func startAdvertising(_ advertisement: Advertisement) throws(AdvertisementError) {
        try advertisement.check()
        updateDesired { desired in
            desired.advertisement = advertisement
            desired.advertisementVersion += 1
        }
    }

    /// Advertises no more.
    public func stopAdvertising() {
        updateDesired { desired in
            desired.advertisement = nil
            desired.advertisementVersion += 1
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

    private func updateDesired(_ change: (inout DesiredState) -> Void) {
        desired.withLock { change(&$0) }
        mirror.wakeAll()
    }
}

extension PeripheralManager {
    /// Between two attempts, doubled up to the longest.
    private static let firstRetry = Duration.seconds(1)
    private static let longestRetry = Duration.seconds(30)

    /// Keeps it so, until cancelled. To be called once.
    public func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.mirror.run() }
            group.addTask { await self.follow() }
        }
        finish()
    }

    private func follow() async {
        var registration = Registration(manager: self)
        var (published, wasThere, retry): (RegistrationSnapshot?, Bool, BackOff) = (
            nil, false, BackOff(Self.firstRetry, limit: Self.longestRetry)
        )
        while !Task.isCancelled {
            let wanted = desired.withLock(\.self)
            let view = mirror.view
            let snapshot = snapshot(view, wanted, wasThere)
            wasThere = wasThere || view.reach == .known
            if snapshot.state != published?.state || snapshot.reason != published?.reason, snapshot.state != .unknown {
                publish(.didUpdateState(snapshot.state, reason: snapshot.reason))
                published = snapshot
            }
            let isContent = await registration.fulfil(wanted, snapshot, bus: view.bus)
            if isContent { retry.reset() }
            let deadline = isContent ? nil : ContinuousClock.now + retry.delay
            let isOver = try? await mirror.wait(until: deadline, for: .connections) {
                [registration, wasThere] view in
                let isSame = self.snapshot(view, wanted, wasThere) == snapshot && !registration.isOutdated
                return isSame && self.desired.withLock { $0.isSame(as: wanted) } ? nil : true
            }
            if isOver == nil { _ = retry.next() }
        }
        registration.end()
        await registration.endFallback()
    }

    private func snapshot(_ view: ObjectMirror.View, _ wanted: DesiredState, _ wasThere: Bool) -> RegistrationSnapshot {
        let interfaces = [
            wanted.services.isEmpty ? nil : Interface.gattManager,
            wanted.advertisement == nil ? nil : Interface.advertisingManager,
        ]
        return RegistrationSnapshot(
            view, adapter: adapter, wasThere: wasThere, interfaces: interfaces.compactMap(\.self))
    }
}

extension PeripheralManager.DesiredState {
    fileprivate func isSame(as other: Self) -> Bool {
        servicesVersion == other.servicesVersion && advertisementVersion == other.advertisementVersion
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

/// A primary service offered to centrals (Core Specification, Vol 3, Part G, 3.1): `CBMutableService`.
public struct MutableService: Sendable {
    /// The type of the service.
    public var uuid: BluetoothUUID

    /// In the order in which centrals find them.
    public var characteristics: [MutableCharacteristic]

    /// A service, to be offered by ``PeripheralManager/add(_:)``.
    public init(_ uuid: BluetoothUUID, characteristics: [MutableCharacteristic]) {
        self.uuid = uuid
        self.characteristics = characteristics
    }
}
