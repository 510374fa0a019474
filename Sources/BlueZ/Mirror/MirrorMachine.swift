import DBus

/// Follows bluetoothd's objects over its restarts and the loss of the bus: what is told goes in, what is to be done comes
/// out. It neither asks nor waits itself.
///
/// What bluetoothd tells while it lists its objects is held until the list is there, and then played over it: whichever came
/// first, the end is the same.
struct MirrorMachine: Sendable {
    /// What bluetoothd tells.
    enum Notice: Sendable, Equatable {
        case added(String, ObjectTree.Interfaces)
        case removed(String, [String])
        case changed(String, String, ObjectTree.Properties, invalidated: [String])
    }

    /// What is to be done.
    enum Action: Sendable, Equatable {
        /// Ask this owner of the name for all its objects, and say ``MirrorMachine/listed(_:by:)``.
        case list(owner: String)
        /// A characteristic has been read or has notified.
        case value(path: String, [UInt8])
        /// Whoever waits for something may look again.
        case look
    }

    private enum Phase: Sendable, Equatable {
        /// No bus. → `asking`.
        case cutOff
        /// A bus, and nobody has said yet whether bluetoothd is on it. → `listing`, `orphaned`, `cutOff`.
        case asking
        /// A bus, and no bluetoothd on it. → `listing`, `cutOff`.
        case orphaned
        /// bluetoothd was asked for its objects. → `following`, `orphaned`, `cutOff`.
        case listing(owner: String, held: [Notice])
        /// All is known; what was told since it was asked for it again is held as well. → `listing` (another bluetoothd),
        /// `orphaned`, `cutOff`.
        case following(owner: String, held: [Notice])
    }

    private var phase = Phase.cutOff

    /// The objects, as far as they are known. Empty without bluetoothd.
    private(set) var tree = ObjectTree()

    /// How often an adapter was lost, switched off or had its bluetoothd change: what bluetoothd was asked to do before, such
    /// as to discover, it does no more.
    private(set) var resets: UInt64 = 0

    /// How often it was asked for the objects again, and how often that has come to an end.
    private(set) var refreshes: (asked: UInt64, ended: UInt64) = (0, 0)

    /// How often a device has connected: what can be connected to is then advertised no more.
    private(set) var connections: UInt64 = 0

    /// What can be said about bluetoothd.
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

    /// The bus is there; who owns bluetoothd's name is said next.
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
        case (.listing(let old, _), let new?) where old == new: return []
        case (.following(let old, _), let new?) where old == new: return []
        case (_, nil): return forget(.orphaned)
        case (_, let new?): return forget(.listing(owner: new, held: [])) + [.list(owner: new)]
        }
    }

    /// Somebody has to know that nothing is missing: bluetoothd's objects are listed again.
    ///
    /// What it told meanwhile is played over the new list, though it may be older: what is told last is so.
    mutating func refreshed() -> [Action] {
        guard case .following(let owner, _) = phase else { return [] }
        refreshes.asked += 1
        return [.list(owner: owner)]
    }

    /// bluetoothd has listed its objects.
    mutating func listed(_ objects: [String: ObjectTree.Interfaces], by owner: String) -> [Action] {
        switch phase {
        case .listing(owner, let held):
            phase = .following(owner: owner, held: [])
            for (path, interfaces) in objects { tree.add(path, interfaces) }
            return held.flatMap { apply($0) } + [.look]
        case .following(owner, let held):
            refreshes.ended += 1
            phase = .following(owner: owner, held: isRefreshing ? held : [])
            tree = ObjectTree()
            for (path, interfaces) in objects { tree.add(path, interfaces) }
            // They were counted and acted upon when they were told.
            let counted = (resets, connections)
            for notice in held { _ = apply(notice) }
            (resets, connections) = counted
            return [.look]
        case .cutOff, .asking, .orphaned, .listing, .following: return []
        }
    }

    /// bluetoothd tells something.
    mutating func told(_ notice: Notice, by sender: String) -> [Action] {
        switch phase {
        case .listing(sender, let held):
            phase = .listing(owner: sender, held: held + [notice])
            return []
        case .following(sender, let held):
            if isRefreshing { phase = .following(owner: sender, held: held + [notice]) }
            return apply(notice)
        case .cutOff, .asking, .orphaned, .listing, .following: return []
        }
    }

    private var isRefreshing: Bool { refreshes.ended < refreshes.asked }

    private mutating func forget(_ next: Phase) -> [Action] {
        phase = next
        tree = ObjectTree()
        resets += 1
        refreshes.ended = refreshes.asked
        return [.look]
    }

    private mutating func apply(_ notice: Notice) -> [Action] {
        switch notice {
        case .added(let path, let interfaces):
            tree.add(path, interfaces)
            if interfaces[Interface.device]?["Connected"]?.boolean == true { connections += 1 }
            return [.look]
        case .removed(let path, let interfaces):
            guard tree.remove(path, interfaces) else { return [] }
            if interfaces.contains(Interface.adapter) { resets += 1 }
            return [.look]
        case .changed(let path, let interface, let changed, let invalidated):
            guard tree.change(path, interface, changed, invalidated: invalidated) else { return [] }
            if interface == Interface.adapter, changed["Powered"]?.boolean == false { resets += 1 }
            if interface == Interface.device, changed["Connected"]?.boolean == true { connections += 1 }
            guard interface == Interface.characteristic, let value = changed["Value"]?.bytes else { return [.look] }
            return [.value(path: path, value)]
        }
    }
}
