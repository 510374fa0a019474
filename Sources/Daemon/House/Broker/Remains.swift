import OkaeriPlumbing

/// The retained topics that may be out of date: of regions and nodes that were removed, perhaps while the daemon was off.
struct Remains: Sendable {
    /// The time in which the broker delivers the devices that were announced before.
    private static let time = 10 * Nanoseconds.second

    /// The retained topics found until the deadline.
    private(set) var topics: Set<String> = []
    /// The end of the search; `nil` while none is under way.
    private(set) var nextDeadline: Int64?
    /// The levels of regions that are not configured here and have a retained state.
    private(set) var strangers: Set<String> = []

    /// Handles CONNACK. The broker delivers the retained states again, without those of regions that were removed meanwhile.
    mutating func connected() { strangers = [] }

    mutating func disconnected() { nextDeadline = nil }

    /// Handles new regions.
    mutating func configured(gone: [String], kept: Set<String>) {
        strangers = strangers.union(gone).subtracting(kept)
    }

    /// Handles the state of a region that is not configured here.
    mutating func strangerReceived(_ level: String, isDeleted: Bool) {
        if isDeleted {
            strangers.remove(level)
        } else if strangers.count < BrokerCore.topicLimit {
            strangers.insert(level)
        }
    }

    /// Begins the search.
    mutating func searchBegan(at now: Int64) {
        if nextDeadline == nil { topics = [] }
        nextDeadline = now.addingClamped(Self.time)
    }

    /// Handles a retained topic.
    mutating func found(_ topic: String) {
        if nextDeadline != nil, topics.count < BrokerCore.topicLimit { topics.insert(topic) }
    }

    /// Ends the search.
    ///
    /// - Returns: The topics that were found.
    mutating func searchEnded() -> Set<String> {
        defer { (topics, nextDeadline) = ([], nil) }
        return topics
    }
}
