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
        /// All is known. → `listing` (another bluetoothd), `orphaned`, `cutOff`.
        case following(owner: String)
    }

    private var phase = Phase.cutOff

    /// The objects, as far as they are known. Empty without bluetoothd.
    private(set) var tree = ObjectTree()

    /// How often an adapter was lost, switched off or had its bluetoothd change: what bluetoothd was asked to do before, such
    /// as to discover, it does no more.
    private(set) var resets: UInt64 = 0

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
        case (.following(let old), let new?) where old == new: return []
        case (_, nil): return forget(.orphaned)
        case (_, let new?): return forget(.listing(owner: new, held: [])) + [.list(owner: new)]
        }
    }

    /// bluetoothd has listed its objects.
    mutating func listed(_ objects: [String: ObjectTree.Interfaces], by owner: String) -> [Action] {
        guard case .listing(owner, let held) = phase else { return [] }
        phase = .following(owner: owner)
        for (path, interfaces) in objects { tree.add(path, interfaces) }
        return held.flatMap { apply($0) } + [.look]
    }

    /// bluetoothd tells something.
    mutating func told(_ notice: Notice, by sender: String) -> [Action] {
        switch phase {
        case .listing(sender, let held):
            phase = .listing(owner: sender, held: held + [notice])
            return []
        case .following(sender): return apply(notice)
        case .cutOff, .asking, .orphaned, .listing, .following: return []
        }
    }

    private mutating func forget(_ next: Phase) -> [Action] {
        phase = next
        tree = ObjectTree()
        resets += 1
        return [.look]
    }

    private mutating func apply(_ notice: Notice) -> [Action] {
        switch notice {
        case .added(let path, let interfaces):
            tree.add(path, interfaces)
            return [.look]
        case .removed(let path, let interfaces):
            guard tree.remove(path, interfaces) else { return [] }
            if interfaces.contains(Interface.adapter) { resets += 1 }
            return [.look]
        case .changed(let path, let interface, let changed, let invalidated):
            guard tree.change(path, interface, changed, invalidated: invalidated) else { return [] }
            if interface == Interface.adapter, changed["Powered"]?.boolean == false { resets += 1 }
            guard interface == Interface.characteristic, let value = changed["Value"]?.bytes else { return [.look] }
            return [.value(path: path, value)]
        }
    }
}
