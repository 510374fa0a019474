/// What the house agrees on about a region, as its owner writes it.
package struct HouseState: Hashable, Sendable {
    package var state: SightState

    /// What was known last, over times when it was not: ``state`` unless that is unknown; nil: nothing ever was.
    package var lastKnown: SightState?

    /// Where the beacon is; nil while nobody knows, or nobody is inside.
    package var room: String?

    /// Since when it is so, on the wall of who wrote it: nanoseconds since the Unix epoch, whole milliseconds, for so it comes back
    /// from the broker, and who wrote it must know it again. For people; no clocks are compared by it.
    package var since: Int64

    /// The nodes that were inside when they last knew, and went dark or do not know now: nobody is sent away for that, until
    /// they say that they are outside, or another node hears the beacon, or they are forgotten. In order.
    package var waiting: [String]

    /// Its place among all that owners wrote of the region, by which a word that another one has replaced is known when a broker
    /// brings it again; nil: that is not known.
    package var stamp: Stamp?

    /// Whether it was written before, and this is only brought back to a broker that has lost it: it is no news.
    package var isRestored: Bool

    /// A Lamport timestamp: each word has a higher one than all that its writer had heard.
    package struct Stamp: Hashable, Comparable, Sendable {
        package var sequence: UInt64

        /// Of the owner's incarnation.
        package var writer: UInt64

        package init(sequence: UInt64, writer: UInt64) {
            self.sequence = sequence
            self.writer = writer
        }

        package static func < (one: Stamp, other: Stamp) -> Bool {
            (one.sequence, one.writer) < (other.sequence, other.writer)
        }
    }

    package init(
        state: SightState, lastKnown: SightState? = nil, room: String? = nil, since: Int64, waiting: [String] = [],
        stamp: Stamp? = nil, isRestored: Bool = false
    ) {
        self.state = state
        self.lastKnown = state == .unknown ? lastKnown : state
        self.room = room
        self.since = since.wholeMilliseconds
        self.waiting = waiting
        self.stamp = stamp
        self.isRestored = isRestored
    }

    /// Whether another owner says the same, whatever its wall clock shows.
    func agrees(with other: HouseState?) -> Bool {
        guard let other else { return false }
        return (state, lastKnown, room, waiting) == (other.state, other.lastKnown, other.room, other.waiting)
    }
}

/// Somebody came in or went, by the word of the whole house. It is published once and kept nowhere.
package struct HouseEvent: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case enter, exit
    }

    package var kind: Kind

    /// Where the beacon was heard first; nil for an exit, and where no room is known.
    package var room: String?

    /// When, on the wall of who wrote it: nanoseconds since the Unix epoch.
    package var time: Int64

    /// The same for the same event, whoever sends it.
    package var identifier: UInt64

    package init(kind: Kind, room: String?, time: Int64, identifier: UInt64) {
        self.kind = kind
        self.room = room
        self.time = time.wholeMilliseconds
        self.identifier = identifier
    }

    init(_ kind: Kind, of region: String, room: String?, since: Int64) {
        let identifier = Ownership.weight(Ownership.hash(region), Ownership.hash("\(since) \(kind.rawValue)"))
        self.init(kind: kind, room: room, time: since, identifier: identifier)
    }
}

extension Int64 {
    /// Of nanoseconds, rounded down.
    fileprivate var wholeMilliseconds: Int64 {
        let rest = self % 1_000_000
        return later(by: rest < 0 ? -1_000_000 - rest : -rest)
    }
}

/// When something happened: on the receiver's monotonic clock, by which everything is decided, and on its wall, which is only
/// written down. Both in nanoseconds.
package struct Moment: Hashable, Sendable {
    package var instant: Int64
    package var wall: Int64

    package init(instant: Int64, wall: Int64) {
        self.instant = instant
        self.wall = wall
    }
}

/// What the ``House`` wants done.
package enum HouseAction: Hashable, Sendable {
    /// Every node's sight of the region is wanted, the retained ones too.
    case subscribe(region: String)
    /// Retained: this node's own sight of the region once more, behind the subscription: when it comes back, so have the others.
    case repeatSight(region: String)
    /// It is wanted no more.
    case unsubscribe(region: String)
    /// Retained: the region's state. To be sent before what follows it.
    case publishState(region: String, HouseState)
    /// Not retained.
    case publishEvent(region: String, HouseEvent)
    /// Retained: how many nodes there are, and that this one counts them.
    case publishHouse(online: Int)
    /// Retained, in the name of a node that has said nothing for three intervals: it is offline.
    case publishOffline(node: String)
    /// Retained: our own status was overwritten.
    case publishOnline
    /// For this node's own consumers. At the owner alone a hook of the house is run.
    case happened(region: String, HouseHappening, isOwner: Bool)
}

/// News of the house for a node's own consumers; in the order of the region monitor's: behind an enter or exit its state.
package enum HouseHappening: Hashable, Sendable {
    case didEnterRegion(room: String?)
    case didExitRegion
    case didDetermineState(SightState)
    case didDetermineRoom(String?)
}
