import Plumbing
import RegionMonitoring

/// A node's knowledge of a region's retained message.
struct RegionMessage: Sendable {
    /// A received message's place beside the known one.
    enum Order {
        case earlier, same, later
        /// Too far from the known one: one of the two is forged.
        case implausible

        /// Whether this node keeps the message that it knows.
        var keepsKnown: Bool { self == .earlier || self == .implausible }

        /// Whether the version is one that this node knows or has known.
        var isKnown: Bool { self == .earlier || self == .same }
    }

    /// The range in which a follower brings a message back that the broker lost, by chance, so that the others need not. The
    /// nodes that would own the region next are first.
    private static let spread = Nanoseconds.second
    private static let (patience, longSpread) = (20 * Nanoseconds.second, 20 * Nanoseconds.second)

    /// The latest message, received or written here.
    private(set) var state: HouseState?

    /// The highest sequence number that was received. The next message has a higher one.
    private var highest: UInt64 = 0

    /// Whether the broker holds it, as far as was received over this connection.
    private(set) var isStored = false

    /// Whether the broker delivered this very message over this connection, and not because another node had brought it back. Then
    /// the broker has the observations that it names, or newer ones.
    private(set) var isOriginal = false

    /// Whether this node was away for so long that any message of the broker replaces it.
    var mayBeOutdated = false

    /// The time at which the message is published again if no other node does it before.
    var restoresAt: Int64?

    func order(of received: HouseState) -> Order {
        guard let state, !mayBeOutdated else { return .later }
        if received.stamp == state.stamp { return .same }
        guard received.stamp.isPlausible(beside: state.stamp) else { return .implausible }
        return received.stamp < state.stamp ? .earlier : .later
    }

    /// Stores a message that was received, or is written here.
    mutating func replace(by received: HouseState) {
        isOriginal = !received.isRestored
        var received = received
        received.isRestored = false
        (state, isStored, mayBeOutdated, restoresAt) = (received, true, false, nil)
        raise(to: received.stamp)
    }

    /// - Parameter copy: this very message as the broker holds it; its writer or another node may have announced the event since.
    mutating func stored(_ copy: HouseState? = nil) {
        (isStored, mayBeOutdated, restoresAt) = (true, false, nil)
        guard let copy else { return }
        isOriginal = isOriginal || !copy.isRestored
        if !copy.isNews { state?.isNews = false }
    }

    /// Accepts the version of another message, so that the next one is later.
    mutating func raise(to stamp: HouseState.Stamp) {
        highest =
            stamp.isPlausible(beside: .init(sequence: highest, writer: 0))
            ? max(highest, stamp.sequence) : stamp.sequence
    }

    /// Handles the event that the message names.
    ///
    /// - Returns: whether the message names it as news.
    mutating func announced() -> Bool {
        defer { state?.isNews = false }
        return state?.isNews ?? false
    }

    mutating func disconnected() { (isStored, isOriginal, restoresAt) = (false, false, nil) }

    /// Removes a node that was forgotten. If the house waits for no other node, nothing is known any more.
    mutating func forget(_ name: String) {
        guard let count = state?.hearing.count else { return }
        state?.hearing.removeAll { $0.node == name }
        if count > 0, state?.hearing.isEmpty ?? false, state?.state == .unknown { state?.lastKnown = nil }
    }

    /// The version of the next message. Only a forged message can have the last one; then the versions begin anew.
    func next(by writer: UInt64) -> HouseState.Stamp {
        let last = max(highest, state?.stamp.sequence ?? 0)
        return HouseState.Stamp(sequence: last < HouseState.Stamp.limit ? last + 1 : 1, writer: writer)
    }

    /// Plans to bring the message back.
    mutating func restore(_ house: HouseView, isNext: Bool) {
        guard restoresAt == nil, let state, !mayBeOutdated else { return }
        let chance = Ownership.weight(house.node.utf8.fnv1a, state.stamp.sequence)
        let (wait, spread) = isNext ? (0, Self.spread) : (Self.patience, Self.longSpread)
        restoresAt = house.now.instant.addingClamped(wait + Int64(chance % UInt64(spread)))
    }

    /// The message to bring back, if it is time.
    mutating func restored(at now: Int64) -> HouseState? {
        guard let due = restoresAt, due <= now else { return nil }
        restoresAt = nil
        return copy
    }

    /// The message as a node brings it back.
    var copy: HouseState? {
        var copy = state
        copy?.isRestored = true
        return copy
    }
}
