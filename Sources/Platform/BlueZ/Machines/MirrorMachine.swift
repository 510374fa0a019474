import OkaeriDBus

/// Follows bluetoothd's objects over its restarts and the loss of the bus: signals go in, actions come out.
///
/// Signals during the listing are held, and applied to the list: whichever comes first, the end is the same.
struct MirrorMachine: Sendable {
    /// The content of a signal of bluetoothd.
    enum Notice: Sendable, Equatable {
        case added(String, ObjectTree.Interfaces)
        case removed(String, [String])
        case changed(String, String, ObjectTree.Properties, invalidated: [String])
        /// The connection of the device ends, for this reason.
        case disconnected(String, DisconnectionReason)
    }

    enum Action: Sendable, Equatable {
        /// Ask this owner of the name for all its objects, and then call ``MirrorMachine/listed(_:by:)``.
        case list(owner: String)
        /// A characteristic has been read or has notified.
        case value(path: String, [UInt8])
        /// Wake the waiters for this.
        case changed(MirrorChange)
    }

    private enum Phase: Sendable, Equatable {
        /// No bus. → `asking`.
        case cutOff
        /// The bus is connected, and it is unknown whether bluetoothd is on it. → `listing`, `orphaned`, `cutOff`.
        case asking
        /// A bus, and no bluetoothd on it. → `listing`, `cutOff`.
        case orphaned
        /// bluetoothd was asked for its objects. → `following`, `orphaned`, `cutOff`.
        case listing(owner: String)
        /// All is known. → `listing` (another bluetoothd), `orphaned`, `cutOff`.
        case following(owner: String)
    }

    private var phase = Phase.cutOff

    /// The signals since bluetoothd was asked for its objects, and then for them again.
    private(set) var held = PendingSignals()

    /// Whether bluetoothd has ever listed its objects.
    private(set) var wasKnown = false

    /// The objects, as far as they are known. Empty without bluetoothd.
    private(set) var tree = ObjectTree()

    /// The number of times that an adapter was lost, off or changed its bluetoothd, which dropped all requests.
    private(set) var resets: UInt64 = 0

    private(set) var refreshes: (asked: UInt64, ended: UInt64) = (0, 0)

    /// The number of connections of devices so far: a device that connects stops a connectable advertisement.
    private(set) var connections: UInt64 = 0

    /// The ends of connections so far.
    private(set) var ends = LinkEnds()

    var reach: Reach {
        switch phase {
        case .cutOff: .noBus
        case .orphaned: .noDaemon
        case .asking, .listing: .unknown
        case .following: .known
        }
    }

    /// Whether there is a bluetoothd, as far as that is known.
    enum Reach: Sendable, Equatable {
        case noBus, noDaemon, unknown, known
    }

    /// Handles that the bus is connected; the owner of bluetoothd's name comes next.
    mutating func busConnected() -> [Action] {
        forget(.asking)
    }

    mutating func busLost() -> [Action] {
        forget(.cutOff)
    }

    /// bluetoothd's name has this owner now, or none.
    mutating func ownerChanged(to owner: String?) -> [Action] {
        switch (phase, owner) {
        case (.cutOff, _): return []
        case (.listing(let old), let new?) where old == new: return []
        case (.following(let old), let new?) where old == new: return []
        case (_, nil): return forget(.orphaned)
        case (_, let new?): return forget(.listing(owner: new)) + [.list(owner: new)]
        }
    }

    /// Lists bluetoothd's objects again, so that a caller has all of them.
    ///
    /// Signals of that time are applied to the new list, although they may be older: the final state is the same.
    mutating func refreshed() -> [Action] {
        guard case .following(let owner) = phase else { return [] }
        refreshes.asked += 1
        return [.list(owner: owner)]
    }

    mutating func listed(_ objects: [String: ObjectTree.Interfaces], by owner: String) -> [Action] {
        switch phase {
        case .listing(owner):
            phase = .following(owner: owner)
            wasKnown = true
            for (path, interfaces) in objects { tree.add(path, interfaces) }
            let actions = held.notices.flatMap { apply($0) }
            held.removeAll()
            return actions.filter(\.isValue) + [.changed(.all)]
        case .following(owner):
            refreshes.ended += 1
            let before = tree
            tree = ObjectTree()
            for (path, interfaces) in objects { tree.add(path, interfaces) }
            // They were counted and acted upon when they came.
            let counted = (resets, connections, ends)
            for notice in held.notices { _ = apply(notice) }
            (resets, connections, ends) = counted
            noteEnds(since: before)
            if !isRefreshing { held.removeAll() }
            return [.changed(.all)]
        case .cutOff, .asking, .orphaned, .listing, .following: return []
        }
    }

    /// bluetoothd signals something.
    mutating func received(_ notice: Notice, from sender: String) -> [Action] {
        switch phase {
        case .listing(sender):
            held.append(notice)
            return []
        case .following(sender):
            if isRefreshing { held.append(notice) }
            return apply(notice)
        case .cutOff, .asking, .orphaned, .listing, .following: return []
        }
    }

    private var isRefreshing: Bool { refreshes.ended < refreshes.asked }

    private mutating func forget(_ next: Phase) -> [Action] {
        let before = tree
        phase = next
        tree = ObjectTree()
        noteEnds(since: before)
        held.removeAll()
        resets += 1
        refreshes.ended = refreshes.asked
        return [.changed(.all)]
    }

    private mutating func apply(_ notice: Notice) -> [Action] {
        switch notice {
        case .added(let path, let interfaces):
            let before = tree[path, Interface.device]
            tree.add(path, interfaces)
            noteEnd(of: path, from: before)
            let didConnect = interfaces[Interface.device]?["Connected"]?.boolean == true
            if didConnect { connections += 1 }
            return [change(of: path, from: before, didConnect: didConnect)]
        case .removed(let path, let interfaces):
            let before = tree[path, Interface.device]
            let wasAdapter = tree[path, Interface.adapter] != nil
            guard tree.remove(path, interfaces) else { return [] }
            noteEnd(of: path, from: before)
            if interfaces.contains(Interface.adapter) { resets += 1 }
            return [wasAdapter ? .changed(.all) : change(of: path, from: before)]
        case .changed(let path, let interface, let changed, let invalidated):
            let before = tree[path, interface]
            guard tree.change(path, interface, changed, invalidated: invalidated) else { return [] }
            if interface == Interface.adapter, changed["Powered"]?.boolean == false { resets += 1 }
            if interface == Interface.characteristic, let value = changed["Value"]?.bytes {
                return [.value(path: path, value)]
            }
            let didConnect = interface == Interface.device && changed["Connected"]?.boolean == true
            if didConnect { connections += 1 }
            if interface == Interface.device { noteEnd(of: path, from: before) }
            // A value that has not changed is of no interest.
            guard didConnect || tree[path, interface] != before else { return [] }
            return [
                change(
                    of: path, from: interface == Interface.device ? before : tree[path, Interface.device],
                    didConnect: didConnect)
            ]
        case .disconnected(let path, let reason):
            let device = tree[path, Interface.device]
            ends.received(reason, of: path, isConnected: device.map(Discovery.isConnected) ?? false)
            return [change(of: path, from: device)]
        }
    }

    /// Records the ends of the connections that another tree has, and this one does not.
    private mutating func noteEnds(since before: ObjectTree) {
        for path in before.paths(with: Interface.device) { noteEnd(of: path, from: before[path, Interface.device]) }
    }

    private mutating func noteEnd(of path: String, from before: ObjectTree.Properties?) {
        guard let before, Discovery.isConnected(before), let address = before["Address"]?.string else { return }
        guard !(tree[path, Interface.device].map(Discovery.isConnected) ?? false) else { return }
        ends.ended(path, address: address.uppercased())
    }

    private func change(
        of path: String, from before: ObjectTree.Properties?, didConnect: Bool = false
    ) -> Action {
        guard tree[path, Interface.adapter] == nil else { return .changed(.all) }
        return .changed(
            .object(path: path, before: before, now: tree[path, Interface.device], didConnect: didConnect))
    }
}

extension MirrorMachine.Action {
    fileprivate var isValue: Bool {
        switch self {
        case .value: true
        case .list, .changed: false
        }
    }
}

extension MirrorMachine.Notice {
    /// Creates the notice of a signal of bluetoothd about its objects; `nil` for any other signal.
    init?(_ signal: BusSignal) {
        let arguments = signal.arguments
        switch (signal.interface, signal.member, arguments.count) {
        case (Interface.objectManager, "InterfacesAdded", 2):
            guard let path = arguments[0].string, let interfaces = arguments[1].interfaces else { return nil }
            self = .added(path, interfaces)
        case (Interface.objectManager, "InterfacesRemoved", 2):
            guard let path = arguments[0].string, let interfaces = arguments[1].strings else { return nil }
            self = .removed(path, interfaces)
        case (Interface.properties, "PropertiesChanged", 3):
            guard let interface = arguments[0].string, let changed = arguments[1].properties,
                let invalidated = arguments[2].strings
            else { return nil }
            self = .changed(signal.path, interface, changed, invalidated: invalidated)
        case (Interface.device, "Disconnected", 2):
            guard let name = arguments[0].string, let message = arguments[1].string else { return nil }
            self = .disconnected(signal.path, DisconnectionReason(name: name, message: message))
        default:
            return nil
        }
    }
}

extension DBusValue {
    /// `a{sa{sv}}`: the interfaces of an object.
    var interfaces: ObjectTree.Interfaces? { members?.compactMapValues(\.properties) }

    /// `a{oa{sa{sv}}}`: what GetManagedObjects answers.
    var managedObjects: [String: ObjectTree.Interfaces]? { members?.compactMapValues(\.interfaces) }

    private var members: [String: DBusValue]? {
        dictionary.map { entries in
            Dictionary(
                entries.compactMap { key, value in key.string.map { ($0, value) } },
                uniquingKeysWith: { first, _ in first })
        }
    }
}

enum MirrorChange: Sendable, Equatable {
    /// The presence of bluetoothd, its objects, or an adapter: of interest to all waiters.
    case all
    /// An object that is not an adapter. `before` and `now` are the properties of its `org.bluez.Device1`, where it has
    /// them; `didConnect`: bluetoothd has signalled it.
    case object(path: String, before: ObjectTree.Properties?, now: ObjectTree.Properties?, didConnect: Bool)
}

/// The changes that a waiter waits for. Adapters, and the presence of bluetoothd, are of interest to all; a device only
/// to its own waiters: every advertisement that bluetoothd receives changes one.
enum Interest: Sendable {
    /// No device.
    case adapters
    /// That any device connects.
    case connections
    /// The object of this path, and those below it.
    case object(String)
    /// Devices, by the properties that they have now or had before.
    case devices(@Sendable (ObjectTree.Properties) -> Bool)

    func includes(_ change: MirrorChange) -> Bool {
        guard case .object(let path, let before, let now, let didConnect) = change else { return true }
        switch self {
        case .adapters: return false
        case .connections: return didConnect
        case .object(let own): return path == own || path.hasPrefix(own + "/")
        case .devices(let isWanted): return before.map(isWanted) ?? false || now.map(isWanted) ?? false
        }
    }
}

/// The names that BlueZ and D-Bus give to things.
enum Interface {
    static let service = "org.bluez"
    static let adapter = "org.bluez.Adapter1"
    static let device = "org.bluez.Device1"
    static let gattService = "org.bluez.GattService1"
    static let characteristic = "org.bluez.GattCharacteristic1"
    static let descriptor = "org.bluez.GattDescriptor1"
    static let gattManager = "org.bluez.GattManager1"
    static let advertisingManager = "org.bluez.LEAdvertisingManager1"
    static let advertisement = "org.bluez.LEAdvertisement1"
    static let agentManager = "org.bluez.AgentManager1"
    static let agent = "org.bluez.Agent1"
    static let objectManager = "org.freedesktop.DBus.ObjectManager"
    static let properties = "org.freedesktop.DBus.Properties"
    static let peer = "org.freedesktop.DBus.Peer"
    static let bus = "org.freedesktop.DBus"
    static let busPath = "/org/freedesktop/DBus"
}

/// The objects of bluetoothd: a path, its interfaces, their properties (`org.freedesktop.DBus.ObjectManager`).
struct ObjectTree: Sendable, Equatable {
    typealias Properties = [String: DBusValue]
    typealias Interfaces = [String: Properties]

    private(set) var objects: [String: Interfaces] = [:]

    subscript(_ path: String, _ interface: String) -> Properties? { objects[path]?[interface] }

    /// The paths of the objects below another, or of all, that have an interface, in their order.
    func paths(with interface: String, below path: String = "") -> [String] {
        objects.filter { $0.key.hasPrefix(path + "/") && $0.value[interface] != nil }.keys.sorted()
    }

    mutating func add(_ path: String, _ interfaces: Interfaces) {
        objects[path, default: [:]].merge(interfaces) { _, new in new }
    }

    /// Returns whether anything was there to be removed.
    mutating func remove(_ path: String, _ interfaces: [String]) -> Bool {
        guard var left = objects[path] else { return false }
        let before = left.count
        for interface in interfaces { left[interface] = nil }
        objects[path] = left.isEmpty ? nil : left
        return left.count < before
    }

    /// Changes or removes properties. Returns whether the object is known; those of another are of no use.
    mutating func change(
        _ path: String, _ interface: String, _ changed: Properties, invalidated: [String]
    ) -> Bool {
        guard objects[path]?[interface] != nil else { return false }
        objects[path]?[interface]?.merge(changed) { _, new in new }
        for name in invalidated { objects[path]?[interface]?[name] = nil }
        return true
    }
}
