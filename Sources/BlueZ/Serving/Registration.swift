import DBus
import Synchronization

/// What was given to bluetoothd, and by which bus.
struct Registration: Sendable {
    /// Which adapter was given something, and when it is to be given again.
    private struct Place: Equatable {
        let path: String
        let resets: UInt64
        let version: Int
        /// A connection ends a connectable advertisement (Core Specification, Vol 6, Part B, 4.4.2.4), and Linux begins it again
        /// only when the connection has ended: other centrals would find nothing meanwhile.
        var connections: UInt64 = 0

        /// Whether it is another than that for more than a connection.
        func isNew(after old: Place?) -> Bool {
            guard let old else { return true }
            return (path, resets, version) != (old.path, old.resets, old.version)
        }
    }

    /// bluetoothd has ended the advertisement by itself.
    private final class Released: Sendable {
        let value = Atomic(false)
    }

    private let manager: PeripheralManager
    private var bus: Bus?
    private var exports: [BusExport] = []
    private var application: GATTApplication?
    private var applicationVersion = 0
    private var applicationPlace: Place?
    private var advertisementExport: BusExport?
    private var advertisementPlace: Place?
    private var advertisementNumber = 0
    private var released = Released()

    init(manager: PeripheralManager) {
        self.manager = manager
    }

    /// Whether bluetoothd has ended something by itself.
    var isOutdated: Bool { released.value.load(ordering: .acquiring) }

    /// Gives bluetoothd what is wanted and it has not yet.
    ///
    /// - Returns: whether there is nothing more to be done, until something changes.
    mutating func fulfil(_ wanted: PeripheralManager.Wishes, _ outlook: Outlook, bus: Bus?) async -> Bool {
        if bus !== self.bus { end() }
        self.bus = bus
        if isOutdated {
            released = Released()
            advertisementPlace = nil
        }
        guard let bus, outlook.state == .poweredOn, let path = outlook.adapter?.path else { return true }
        do throws(BusError) {
            try await offer(wanted, Place(path: path, resets: outlook.resets, version: wanted.servicesVersion), on: bus)
            let connections = wanted.advertisement?.kind == .connectable ? outlook.connections : 0
            try await advertise(
                wanted.advertisement,
                Place(
                    path: path, resets: outlook.resets, version: wanted.advertisementVersion, connections: connections),
                on: bus)
            return true
        } catch {
            tell(error, outlook)
            return false
        }
    }

    /// Forgets everything: the bus has gone, and with it all that was given by it.
    mutating func end() {
        manager.served.withLock { $0 = nil }
        (exports, application, applicationPlace) = ([], nil, nil)
        (advertisementExport, advertisementPlace) = (nil, nil)
    }

    private mutating func offer(
        _ wanted: PeripheralManager.Wishes, _ place: Place, on bus: Bus
    ) async throws(BusError) {
        if applicationVersion != place.version || application == nil, !wanted.services.isEmpty || application != nil {
            manager.served.withLock { $0 = nil }
            if let old = application, let place = applicationPlace {
                _ = try? await ask(bus, place.path, Interface.gattManager, "UnregisterApplication", old.root)
            }
            (exports, application, applicationPlace) = ([], nil, nil)
            applicationVersion = place.version
            guard !wanted.services.isEmpty else { return }
            try await export(wanted.services, version: place.version, on: bus)
        }
        guard let application, applicationPlace != place else { return }
        applicationPlace = nil
        try await register(Interface.gattManager, "RegisterApplication", application.root, place.path, on: bus)
        applicationPlace = place
        manager.telling.yield(.didAddServices(adapter: place.path.lastName))
    }

    private mutating func export(_ services: [MutableService], version: Int, on bus: Bus) async throws(BusError) {
        let telling = manager.telling
        let new = GATTApplication(services, at: "/okaeri/application\(version)") { error, central in
            telling.yield(.didRefuse(error, central))
        }
        exports.append(try await bus.export(new.manager, at: new.root))
        for (path, interface) in new.objects { exports.append(try await bus.export(interface, at: path)) }
        application = new
        manager.served.withLock { $0 = (new, bus) }
    }

    private mutating func advertise(
        _ advertisement: Advertisement?, _ place: Place, on bus: Bus
    ) async throws(BusError) {
        guard advertisementPlace != place else { return }
        let isNew = place.isNew(after: advertisementPlace)
        if advertisementExport != nil {
            // After the adapter was off bluetoothd may know it still, though it is no longer on the air.
            let path = advertisementPlace?.path ?? place.path
            _ = try? await ask(bus, path, Interface.advertisingManager, "UnregisterAdvertisement", advertisementPath)
        }
        (advertisementExport, advertisementPlace) = (nil, nil)
        guard let advertisement else {
            advertisementPlace = place
            return
        }
        advertisementNumber += 1
        let interface = advertisement.interface { [released, mirror = manager.mirror] in
            released.value.store(true, ordering: .releasing)
            mirror.ring()
        }
        advertisementExport = try await bus.export(interface, at: advertisementPath)
        try await register(
            Interface.advertisingManager, "RegisterAdvertisement", advertisementPath, place.path, on: bus)
        advertisementPlace = place
        if isNew { manager.telling.yield(.didStartAdvertising(adapter: place.path.lastName)) }
    }

    private var advertisementPath: String { "/okaeri/advertisement\(advertisementNumber)" }

    private func register(
        _ interface: String, _ method: String, _ object: String, _ adapter: String, on bus: Bus
    ) async throws(BusError) {
        do throws(BusError) {
            try await ask(bus, adapter, interface, method, object, .properties([:]))
        } catch {
            guard case .refused("org.bluez.Error.AlreadyExists", _) = error else { throw error }
        }
    }

    private func ask(
        _ bus: Bus, _ adapter: String, _ interface: String, _ method: String, _ object: String,
        _ more: DBusValue...
    ) async throws(BusError) {
        _ = try await bus.call(
            Interface.service, adapter, interface, method, [.objectPath(object)] + more, within: ObjectMirror.patience)
    }

    private func tell(_ error: BusError, _ outlook: Outlook) {
        let adapter = outlook.adapter?.name ?? "any adapter"
        switch error {
        // Whoever has gone is noticed otherwise.
        case .nobody, .disconnected, .cancelled: break
        case .refused where error.isRefusal:
            manager.telling.yield(.didUpdateState(.unauthorized, reason: Outlook.mayNotAsk))
        case .refused("org.bluez.Error.NotPermitted", _):
            manager.telling.yield(
                .didFail(reason: "\(adapter) advertises as much as it can already, for other programs"))
        case .refused, .timedOut, .unreadable:
            manager.telling.yield(.didFail(reason: "bluetoothd does not take it on \(adapter): \(error)"))
        }
    }
}

extension String {
    /// What stands behind the last slash.
    fileprivate var lastName: String { split(separator: "/").last.map(String.init) ?? self }
}
