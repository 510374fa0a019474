import Plumbing
import RegionMonitoring

/// The state of a house region as this node's own consumers received it. However many messages others forge, they
/// receive at most a burst of news, and then the latest state once every few seconds.
struct Consumers: Sendable {
    private static let (burst, interval) = (20, 3 * Nanoseconds.second)

    private var state: RegionState?
    private var room: String?
    private var tokens = burst
    private var refilledAt: Int64 = 0
    private var pending: HouseState?

    /// The time at which the news that were held back are due.
    var nextDeadline: Int64? { pending == nil ? nil : refilledAt.addingClamped(Self.interval) }

    /// Returns what is new.
    ///
    /// - Parameter room: the room of an arrival; the state's if `nil`.
    mutating func notify(
        _ new: HouseState, _ kind: HouseEvent.Kind?, room: String? = nil, isOwner: Bool, of region: String,
        at now: Int64
    ) -> [HouseAction] {
        guard state != new.state || self.room != new.room || kind != nil else {
            pending = nil
            return []
        }
        refill(at: now)
        // The owner writes only what follows from its own observations.
        guard tokens > 0 || isOwner else {
            pending = new
            return []
        }
        tokens = max(0, tokens - 1)
        pending = nil
        var news = [kind].compactMap { $0.map { HouseNews($0, room: room ?? new.room, isOwner: isOwner) } }
        if state != new.state { news.append(.didDetermineState(new.state)) }
        if self.room != new.room { news.append(.didDetermineRoom(new.room)) }
        (state, self.room) = (new.state, new.room)
        return news.map { .happened(region: region, $0) }
    }

    mutating func advanced(of region: String, at now: Int64) -> [HouseAction] {
        guard let pending, nextDeadline.map({ $0 <= now }) ?? false else { return [] }
        return notify(pending, nil, isOwner: false, of: region, at: now)
    }

    private mutating func refill(at now: Int64) {
        let passed = max(0, now.subtractingClamped(refilledAt)) / Self.interval
        guard passed > 0 else { return }
        tokens = min(Self.burst, tokens + Int(clamping: passed))
        refilledAt = tokens == Self.burst ? now : refilledAt.addingClamped(passed * Self.interval)
    }
}
