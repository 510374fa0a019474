import DBus

/// Follows bluetoothd's objects over its restarts and the loss of the bus: signals go in, what is to be done comes
/// out. It neither asks nor waits itself.
///
/// What bluetoothd signals while it lists its objects is held until the list is there, and then applied to it:
/// whichever came first, the end is the same.
package struct MirrorMachine: Sendable {
    /// What a signal of bluetoothd says.
    package enum Notice: Sendable, Equatable {
        case added(String, ObjectTree.Interfaces)
        case removed(String, [String])
        case changed(String, String, ObjectTree.Properties, invalidated: [String])
    }

    /// What is to be done.
    package enum Action: Sendable, Equatable {
        /// Ask this owner of the name for all its objects, and then call ``MirrorMachine/listed(_:by:)``.
        case list(owner: String)
        /// A characteristic has been read or has notified.
        case value(path: String, [UInt8])
        /// Whoever waits for this may look again.
        case changed(MirrorChange)
    }

    private enum Phase: Sendable, Equatable {
        /// No bus. → `asking`.
        case cutOff
        /// A bus, and nobody knows yet whether bluetoothd is on it. → `listing`, `orphaned`, `cutOff`.
        case asking
        /// A bus, and no bluetoothd on it. → `listing`, `cutOff`.
        case orphaned
        /// bluetoothd was asked for its objects. → `following`, `orphaned`, `cutOff`.
        case listing(owner: String)
        /// All is known. → `listing` (another bluetoothd), `orphaned`, `cutOff`.
        case following(owner: String)
    }

    private var phase = Phase.cutOff

    /// What was signalled since bluetoothd was asked for its objects, and then for them again.
    package private(set) var held = HeldNotices()

    /// The objects, as far as they are known. Empty without bluetoothd.
    package private(set) var tree = ObjectTree()

    /// How often an adapter was lost, switched off or had its bluetoothd change: what bluetoothd was asked to do
    /// before, such as to discover, it does no more.
    package private(set) var resets: UInt64 = 0

    /// How often it was asked for the objects again, and how often that has come to an end.
    package private(set) var refreshes: (asked: UInt64, ended: UInt64) = (0, 0)

    /// How often a device has connected: what can be connected to is then advertised no more.
    package private(set) var connections: UInt64 = 0

    package init() {}

    /// What can be said about bluetoothd.
    package var reach: Reach {
        switch phase {
        case .cutOff: .noBus
        case .orphaned: .noDaemon
        case .asking, .listing: .unknown
        case .following: .known
        }
    }

    /// Whether there is a bluetoothd, as far as that is known.
    package enum Reach: Sendable, Equatable {
        case noBus, noDaemon, unknown, known
    }

    /// The bus is there; who owns bluetoothd's name comes next.
    package mutating func busConnected() -> [Action] {
        forget(.asking)
    }

    package mutating func busLost() -> [Action] {
        forget(.cutOff)
    }

    /// bluetoothd's name has this owner now, or none.
    package mutating func ownerChanged(to owner: String?) -> [Action] {
        switch (phase, owner) {
        case (.cutOff, _): return []
        case (.listing(let old), let new?) where old == new: return []
        case (.following(let old), let new?) where old == new: return []
        case (_, nil): return forget(.orphaned)
        case (_, let new?): return forget(.listing(owner: new)) + [.list(owner: new)]
        }
    }

    /// Somebody has to know that nothing is missing: bluetoothd's objects are listed again.
    ///
    /// What it signals meanwhile is applied to the new list, though it may be older: the last word is the same.
    package mutating func refreshed() -> [Action] {
        guard case .following(let owner) = phase else { return [] }
        refreshes.asked += 1
        return [.list(owner: owner)]
    }

    /// bluetoothd has listed its objects.
    package mutating func listed(_ objects: [String: ObjectTree.Interfaces], by owner: String) -> [Action] {
        switch phase {
        case .listing(owner):
            phase = .following(owner: owner)
            for (path, interfaces) in objects { tree.add(path, interfaces) }
            let actions = held.notices.flatMap { apply($0) }
            held.removeAll()
            return actions.filter(\.isValue) + [.changed(.all)]
        case .following(owner):
            refreshes.ended += 1
            tree = ObjectTree()
            for (path, interfaces) in objects { tree.add(path, interfaces) }
            // They were counted and acted upon when they came.
            let counted = (resets, connections)
            for notice in held.notices { _ = apply(notice) }
            (resets, connections) = counted
            if !isRefreshing { held.removeAll() }
            return [.changed(.all)]
        case .cutOff, .asking, .orphaned, .listing, .following: return []
        }
    }

    /// bluetoothd signals something.
    package mutating func received(_ notice: Notice, from sender: String) -> [Action] {
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
        phase = next
        tree = ObjectTree()
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
            let didConnect = interfaces[Interface.device]?["Connected"]?.boolean == true
            if didConnect { connections += 1 }
            return [change(of: path, from: before, didConnect: didConnect)]
        case .removed(let path, let interfaces):
            let before = tree[path, Interface.device]
            let wasAdapter = tree[path, Interface.adapter] != nil
            guard tree.remove(path, interfaces) else { return [] }
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
            // What was so before concerns nobody.
            guard didConnect || tree[path, interface] != before else { return [] }
            return [
                change(
                    of: path, from: interface == Interface.device ? before : tree[path, Interface.device],
                    didConnect: didConnect)
            ]
        }
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
