import Plumbing

/// The time after a connection in which a node writes nothing.
struct Settling: Sendable {
    static let shortest = 3 * Nanoseconds.second

    /// The settling goes on until no node has arrived for so long. After a power cut the first of three hundred nodes would
    /// otherwise own every region, and receive all observations.
    private static let calm = 2 * Nanoseconds.second

    /// The maximum time behind this node's own description. Nodes try to connect after 1, 2, 4, 8 and 16 seconds.
    private static let longest = 30 * Nanoseconds.second

    private let began: Int64
    private var askedAt: Int64
    /// Whether this node's own description has not come back yet.
    private(set) var isUnheard: Bool
    private var heardAt: Int64
    private var lastArrival: Int64

    /// - Parameter isUnheard: `false` after a suspension: the connection and its subscriptions exist.
    init(at now: Int64, isUnheard: Bool = true) {
        (began, askedAt, heardAt, lastArrival) = (now, now, now, now)
        self.isUnheard = isUnheard
    }

    mutating func heard(at now: Int64) { (isUnheard, heardAt, lastArrival) = (false, now, now) }

    mutating func arrived(at now: Int64) { lastArrival = now }

    /// The interval after which the own description is published again, and how often until everything is subscribed to again: a
    /// broker drops what exceeds its queue.
    private static let (pause, repetitions) = (5 * Nanoseconds.second, 6)
    private var askedCount = 0

    /// Handles that the own description did not come back in time.
    mutating func asked(at now: Int64) -> HouseAction {
        askedAt = now
        askedCount = (askedCount + 1) % Self.repetitions
        return askedCount == 0 ? .subscribeAgain : .repeatDescription
    }

    /// The end of the settling; while the broker delivers nothing, the time of the next attempt.
    ///
    /// - Parameter isComplete: whether every node that was there before is back.
    func end(isComplete: Bool) -> Int64 {
        guard !isUnheard else { return askedAt.addingClamped(Self.pause) }
        let latest = heardAt.addingClamped(Self.longest)
        guard isComplete else { return latest }
        return max(began.addingClamped(Self.shortest), min(latest, lastArrival.addingClamped(Self.calm)))
    }

    func isUnreadable(at now: Int64) -> Bool { isUnheard && now >= began.addingClamped(Self.longest) }
}

/// The nodes that were there before the connection was lost and have not come back. What they observed since is unknown.
struct Absence: Sendable {
    /// A node tries to connect again after a minute at the latest.
    static let longest = 90 * Nanoseconds.second

    /// A broker that is stopped publishes the last wills of its clients before it closes their connections.
    static let lastWills = 30 * Nanoseconds.second

    private(set) var nodes: [String: Candidate] = [:]
    /// The end of the wait.
    private(set) var until: Int64?

    /// Handles the loss of the connection.
    mutating func lost(_ known: [String: HouseNode], _ candidates: [String: Candidate], at now: Int64) {
        for (name, node) in known {
            if case .offline(let since) = node.status, now.subtractingClamped(since) >= Self.lastWills { continue }
            nodes[name] = candidates[name] ?? Candidate(name, node)
        }
        until = nil
    }

    mutating func began(at now: Int64, without own: String) {
        nodes[own] = nil
        until = nodes.isEmpty ? nil : now.addingClamped(Self.longest)
    }

    mutating func returned(_ name: String) { nodes[name] = nil }

    /// Ends the wait if it is time.
    ///
    /// - Returns: whether it ended.
    mutating func advance(to now: Int64) -> Bool {
        guard let until, now >= until else { return false }
        (nodes, self.until) = ([:], nil)
        return true
    }
}
