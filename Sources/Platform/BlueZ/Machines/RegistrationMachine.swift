import OkaeriDBus

/// Registers what is offered, and again when bluetoothd has forgotten it: states go in, actions come out.
///
/// At most one action takes time, the last of those that come out together: with its end comes ``ended(isDone:)``.
struct RegistrationMachine: Sendable {
    /// Something that is to be offered, or not any more.
    struct Wish: Sendable, Equatable {
        /// Another one for each change.
        var version = 0
        var isWanted = false
    }

    /// All that it goes by.
    struct Situation: Sendable, Equatable {
        var services = Wish()
        var advertisement = Wish()
        var isConnectable = false
        /// The object of an adapter that takes both; nil while there is none.
        var adapter: String?
        /// The same for as long as what bluetoothd was asked for holds.
        var resets: UInt64 = 0
        var connections: UInt64 = 0
    }

    enum Action: Sendable, Equatable {
        /// Export the services' objects on the bus, in place of those before. It takes time.
        case exportServices(version: Int)
        /// Call `RegisterApplication`. It takes time.
        case registerServices(version: Int, adapter: String)
        /// Call `UnregisterApplication`; that bluetoothd knows nothing of it is not a failure. It takes time.
        case unregisterServices(version: Int, adapter: String)
        /// Export the services' objects no more.
        case withdrawServices
        /// Export the advertisement's object on the bus. It takes time.
        case exportAdvertisement(number: Int)
        /// Call `RegisterAdvertisement`. It takes time.
        case registerAdvertisement(number: Int, adapter: String)
        /// Call `UnregisterAdvertisement`; that bluetoothd knows nothing of it is not a failure. It takes time.
        case unregisterAdvertisement(number: Int, adapter: String)
        /// Export the advertisement's object no more.
        case withdrawAdvertisement
        /// Centrals find the services, on this adapter.
        case didAddServices(adapter: String)
        /// The advertisement is on the air, by this adapter, and was not before.
        case didStartAdvertising(adapter: String)
    }

    /// The adapter of a registration, and the time at which it is registered again.
    private struct Place: Sendable, Equatable {
        let adapter: String
        let resets: UInt64
        let version: Int
        /// A connection ends a connectable advertisement (Core Specification, Vol 6, Part B, 4.4.2.4), and Linux
        /// begins it again only when the connection has ended: other centrals would find nothing meanwhile.
        var connections: UInt64 = 0

        /// Whether it is another than that for more than a connection.
        func isNew(after old: Place?) -> Bool {
            guard let old else { return true }
            return (adapter, resets, version) != (old.adapter, old.resets, old.version)
        }
    }

    private var situation = Situation()

    private var services: (exported: Int?, place: Place?)

    /// The advertisement's object that is exported, by its number: none is used twice.
    private var exportedAdvertisement: Int?
    private var advertisements = 0

    /// Whether bluetoothd was asked to take that object.
    private var isAdvertisementGiven = false

    /// The place of the advertisement's registration, or none; and the one before.
    private var advertised: (place: Place?, last: Place?)

    /// The action that takes its time, and for which place.
    private var running: (action: Action, place: Place)?

    /// Whether the desired advertisement is on the air, or is being renewed after a connection.
    var isAdvertising: Bool {
        guard situation.advertisement.isWanted, let last = advertised.last else { return false }
        return last.adapter == situation.adapter && last.resets == situation.resets
            && last.version == situation.advertisement.version
    }

    /// This is so now. Nothing comes out while an action is running.
    mutating func observed(_ situation: Situation) -> [Action] {
        self.situation = situation
        return running == nil ? next() : []
    }

    /// The running action has come to its end.
    ///
    /// - Parameter isDone: whether it did what it should. If not nothing more is done until ``observed(_:)``.
    mutating func ended(isDone: Bool) -> [Action] {
        guard let (action, place) = running else { return [] }
        running = nil
        var done: [Action] = []
        switch action {
        case .unregisterServices:
            services = (nil, nil)
            return [.withdrawServices] + next()
        case .exportServices(let version):
            if isDone { services.exported = version }
        case .registerServices:
            if isDone {
                services.place = place
                done = [.didAddServices(adapter: place.adapter)]
            }
        case .unregisterAdvertisement:
            exportedAdvertisement = nil
            return [.withdrawAdvertisement] + next()
        case .exportAdvertisement(let number):
            isAdvertisementGiven = false
            exportedAdvertisement = isDone ? number : nil
            if !isDone { advertised.last = nil }
        case .registerAdvertisement:
            isAdvertisementGiven = true
            if isDone, place.isNew(after: advertised.last) { done = [.didStartAdvertising(adapter: place.adapter)] }
            advertised = isDone ? (place, place) : (nil, nil)
        case .withdrawServices, .withdrawAdvertisement, .didAddServices, .didStartAdvertising: break
        }
        return isDone ? done + next() : []
    }

    /// bluetoothd has ended the advertisement by itself (`org.bluez.LEAdvertisement1`, Release).
    mutating func released() {
        advertised = (nil, nil)
    }

    mutating func busLost() -> [Action] {
        let actions: [Action] =
            (services.exported == nil ? [] : [.withdrawServices])
            + (exportedAdvertisement == nil ? [] : [.withdrawAdvertisement])
        (services, exportedAdvertisement, advertised, running) = ((nil, nil), nil, (nil, nil), nil)
        return actions
    }

    private mutating func next() -> [Action] {
        guard let adapter = situation.adapter else { return [] }
        return nextForServices(on: adapter) ?? nextForAdvertisement(on: adapter) ?? []
    }

    private mutating func nextForServices(on adapter: String) -> [Action]? {
        let desired = situation.services
        let place = Place(adapter: adapter, resets: situation.resets, version: desired.version)
        // bluetoothd keeps them for an adapter that is switched off, with the subscriptions. Registered there again later it would
        // refuse them as known, and would not report these subscriptions again.
        let isMoved = services.place.map { $0.adapter != adapter } ?? false
        if let old = services.exported, isMoved || old != desired.version || !desired.isWanted {
            guard let registered = services.place else {
                services = (nil, nil)
                return [.withdrawServices] + next()
            }
            return run(.unregisterServices(version: old, adapter: registered.adapter), place)
        }
        guard desired.isWanted, services.place != place else { return nil }
        guard services.exported != nil else { return run(.exportServices(version: desired.version), place) }
        return run(.registerServices(version: desired.version, adapter: adapter), place)
    }

    private mutating func nextForAdvertisement(on adapter: String) -> [Action]? {
        let desired = situation.advertisement
        let place = Place(
            adapter: adapter, resets: situation.resets, version: desired.version,
            connections: situation.isConnectable ? situation.connections : 0)
        guard advertised.place != place else { return nil }
        if let old = exportedAdvertisement, isAdvertisementGiven {
            // After the adapter was off bluetoothd may know it still, though it is no longer on the air.
            let registered = advertised.place?.adapter ?? adapter
            advertised.place = nil
            return run(.unregisterAdvertisement(number: old, adapter: registered), place)
        }
        guard desired.isWanted else {
            advertised = (place, place)
            return nil
        }
        guard let number = exportedAdvertisement else {
            advertisements += 1
            return run(.exportAdvertisement(number: advertisements), place)
        }
        return run(.registerAdvertisement(number: number, adapter: adapter), place)
    }

    private mutating func run(_ action: Action, _ place: Place) -> [Action] {
        running = (action, place)
        return [action]
    }
}

/// The signals that bluetoothd sends while it lists its objects, to be applied to the list. Changes of one interface,
/// again and again, are one notice, so that there are no more of them than objects; but for the values of
/// characteristics, each of which counts.
struct PendingSignals: Sendable, Equatable {
    typealias Notice = MirrorMachine.Notice

    /// In the order in which they are to be applied.
    private(set) var notices: [Notice] = []

    /// The position of the signal into which a further one can be merged, by path and interface.
    private var last: [String: [String: Int]] = [:]

    mutating func append(_ notice: Notice) {
        switch notice {
        case .added(let path, _), .removed(let path, _):
            last[path] = nil
            notices.append(notice)
        case .changed(let path, let interface, let changed, let invalidated):
            guard interface != Interface.characteristic else { return notices.append(notice) }
            if let index = last[path]?[interface], let merged = notices[index].merging(changed, invalidated) {
                notices[index] = merged
            } else {
                last[path, default: [:]][interface] = notices.count
                notices.append(notice)
            }
        case .disconnected(let path, _):
            // A device has one reason, the last.
            let key = "\(Interface.device).Disconnected"
            if let index = last[path]?[key] {
                notices[index] = notice
            } else {
                last[path, default: [:]][key] = notices.count
                notices.append(notice)
            }
        }
    }

    mutating func removeAll() {
        self = PendingSignals()
    }
}

extension MirrorMachine.Notice {
    /// One that has the effect of this and a later one; nil where this is not a change of properties.
    fileprivate func merging(_ later: ObjectTree.Properties, _ laterInvalidated: [String]) -> Self? {
        guard case .changed(let path, let interface, var changed, let invalidated) = self else { return nil }
        changed.merge(later) { _, new in new }
        for name in laterInvalidated { changed[name] = nil }
        let still = invalidated.filter { later[$0] == nil && !laterInvalidated.contains($0) }
        return .changed(path, interface, changed, invalidated: still + laterInvalidated)
    }
}
