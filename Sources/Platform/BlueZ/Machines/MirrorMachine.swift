import DBus

/// Follows bluetoothd's objects over its restarts and the loss of the bus: signals go in, actions come out.
///
/// Signals during the listing are held, and applied to the list: whichever comes first, the end is the same.
struct MirrorMachine: Sendable {
    /// The content of a signal of bluetoothd.
    enum Notice: Sendable, Equatable {
        case added(String, ObjectTree.Interfaces)
        case removed(String, [String])
        case changed(String, String, ObjectTree.Properties, invalidated: [String])
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

    /// The objects, as far as they are known. Empty without bluetoothd.
    private(set) var tree = ObjectTree()

    /// The number of times that an adapter was lost, off or changed its bluetoothd, which dropped all requests.
    private(set) var resets: UInt64 = 0

    private(set) var refreshes: (asked: UInt64, ended: UInt64) = (0, 0)

    /// The number of connections of devices so far: a device that connects stops a connectable advertisement.
    private(set) var connections: UInt64 = 0

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
            // A value that has not changed is of no interest.
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
