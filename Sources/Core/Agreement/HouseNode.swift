import Plumbing

/// A node of the house, as its retained topics and its messages describe it.
struct HouseNode: Sendable {
    /// Whether the node is online.
    ///
    ///     offline → found      a retained `online` after a connection
    ///     offline → online     an `online` that was published now
    ///     found   → online     the same, at the latest after a refresh interval
    ///     found, online → offline   its own message, its last will, or the hub's owner on its behalf
    enum Status: Sendable {
        case offline(since: Int64)
        case found(at: Int64)
        /// `settlesAt`: the time from which the node can own regions; `.min` if it had settled before this node knew of it.
        case online(settlesAt: Int64, refreshedAt: Int64)
    }

    /// The time for which a retained `online` is valid without a refresh: an interval, and a tenth for the delay.
    static let foundValidity = Observation.interval / 10 * 11

    /// The time that a node is online before it owns regions. By then it has received the others' states, and they have
    /// received its.
    static let settling = 3 * Nanoseconds.second

    /// The time that a present node has to publish its topics again after another client emptied them.
    static let repetition = 10 * Nanoseconds.second

    var status = Status.offline(since: .min)

    /// The time at which another client emptied the node's topics, until the node publishes its status again.
    var emptiedAt: Int64?
    var isScanning = true

    /// The room; `nil` for none.
    var room: String?

    /// The regions that the node watches; `nil` for all.
    var regions: Set<String>?

    /// Whether the node publishes for Home Assistant.
    var announces = true

    /// The incarnation of the last observation that the node published now; `nil` if there was none. What an earlier run of the
    /// daemon published is not live.
    var incarnation: String?

    var isOnline: Bool { if case .offline = status { false } else { true } }

    /// The end of the status' validity; `nil` while the node is offline.
    private var freshUntil: Int64? {
        switch status {
        case .offline: nil
        case .found(let instant): instant.addingClamped(Self.foundValidity)
        case .online(_, let instant): instant.addingClamped(Observation.missed * Observation.interval)
        }
    }

    /// The time from which the node can own regions.
    private var settlesAt: Int64 {
        if case .online(let instant, _) = status { instant } else { .min }
    }

    /// The time at which the node is deleted because it did not publish its topics again.
    private var deletedAt: Int64? { emptiedAt?.addingClamped(Self.repetition) }

    func isDeleted(at now: Int64) -> Bool { deletedAt.map { now >= $0 } ?? false }

    /// Whether the node is online and its status is fresh.
    func isPresent(at now: Int64) -> Bool { freshUntil.map { now < $0 } ?? false }

    /// Whether the node can own regions. It follows from its status alone, so that all nodes agree.
    func isEligible(at now: Int64) -> Bool { isPresent(at: now) && now >= settlesAt }

    /// Whether the node is online and has not refreshed its status in time.
    func isSilent(at now: Int64) -> Bool { freshUntil.map { now >= $0 } ?? false }

    /// The next time at which one of the answers above changes; `nil` if only a message changes them.
    func nextChange(after now: Int64) -> Int64? {
        guard let freshUntil else { return nil }
        return [freshUntil, settlesAt, deletedAt].compactMap { $0 }.filter { $0 > now }.min()
    }
}
