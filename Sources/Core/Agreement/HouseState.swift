import Plumbing
package import RegionMonitoring

/// The state of a region for the whole house, as the owner of the region publishes it.
package struct HouseState: Hashable, Sendable {
    package var state: RegionState

    /// The last state other than unknown; `nil` if there was none, or if every node that heard the beacon was forgotten.
    package var lastKnown: RegionState?

    /// The room of the beacon; `nil` if it is unknown, or no beacon is inside.
    package var room: String?

    /// The time of the last change by the owner's wall clock: nanoseconds since the Unix epoch, in whole milliseconds as on the
    /// wire. For people: no decision depends on it. `nil` if the owner's clock was not set.
    package var since: Int64?

    /// The nodes whose last definite observation is inside, in the order of their names. While one of them is silent, the region
    /// is unknown and not outside.
    package var hearing: [Hearing]

    /// The number of enter and exit events of the region so far. It identifies an event, whichever node publishes it.
    package var change: UInt64

    /// Whether the event of the last change is still to be announced, as far as the message's writer received.
    package var isNews: Bool

    /// The version of the message.
    package var stamp: Stamp

    /// Whether another node publishes the message again because the broker lost it. It reports nothing new.
    package var isRestored: Bool

    /// A node that receives the beacon, and the observation that proves it to the owner.
    package struct Hearing: Hashable, Sendable {
        package var node: String
        /// `nil` unless the broker has that observation, or a newer one, as far as the owner received.
        package var mark: Mark?
        /// Whether the node is only waited for after a break: it may hear the beacon.
        package var isAbsent: Bool

        package init(node: String, mark: Mark? = nil, isAbsent: Bool = false) {
            self.node = node
            self.mark = mark
            self.isAbsent = isAbsent
        }
    }

    /// The place of an observation among those of its node.
    package struct Mark: Hashable, Sendable {
        package var incarnation: String
        package var sequence: UInt64

        package init(incarnation: String, sequence: UInt64) {
            self.incarnation = incarnation
            self.sequence = sequence
        }

        init(_ observation: Observation) {
            self.init(incarnation: observation.incarnation, sequence: observation.sequence)
        }

        /// Whether an observation was certainly made after the marked one.
        func isBefore(_ observation: Observation) -> Bool {
            incarnation == observation.incarnation && sequence < observation.sequence
        }
    }

    /// A Lamport timestamp (Lamport, "Time, Clocks, and the Ordering of Events in a Distributed System", 1978): a message has a
    /// higher one than all messages that its writer had received.
    package struct Stamp: Hashable, Comparable, Sendable {
        /// The maximum sequence number: every reader of JSON has it exactly (RFC 7493, 2.2).
        package static let limit: UInt64 = 1 << 53

        package var sequence: UInt64

        /// The hash of the writer's incarnation.
        package var writer: UInt64

        package init(sequence: UInt64, writer: UInt64) {
            self.sequence = sequence
            self.writer = writer
        }

        package static func < (one: Stamp, other: Stamp) -> Bool {
            (one.sequence, one.writer) < (other.sequence, other.writer)
        }

        /// Two messages of one region are never further apart unless one of them is forged: at one message a second, the distance
        /// takes twelve days without any message in between.
        private static let plausible: UInt64 = 1 << 20

        /// Whether both can be stamps of one region.
        func isPlausible(beside other: Stamp) -> Bool {
            max(sequence, other.sequence) - min(sequence, other.sequence) <= Self.plausible
        }
    }

    package init(
        state: RegionState, lastKnown: RegionState? = nil, room: String? = nil, since: Int64?, hearing: [Hearing] = [],
        change: UInt64 = 0, isNews: Bool = false, stamp: Stamp, isRestored: Bool = false
    ) {
        self.state = state
        self.lastKnown = state == .unknown ? lastKnown : state
        self.room = room
        self.since = since?.wholeMilliseconds
        self.hearing = hearing
        self.change = change
        self.isNews = isNews
        self.stamp = stamp
        self.isRestored = isRestored
    }

    /// The nodes that the house waits for: they heard the beacon last and do not report now. Empty unless the state is unknown.
    package var waiting: [String] { state == .unknown ? hearing.map(\.node) : [] }

    /// Whether two messages have the same content. Their writers and wall clocks do not matter.
    func agrees(with other: HouseState) -> Bool {
        (state, lastKnown, room, change) == (other.state, other.lastKnown, other.room, other.change)
            && hearing.lazy.map(\.node).elementsEqual(other.hearing.lazy.map(\.node))
    }

    /// The event of the last change of `region`; `nil` if there was none.
    func event(of region: UInt64) -> HouseEvent? {
        guard change > 0, let lastKnown else { return nil }
        return HouseEvent(lastKnown == .inside ? .enter : .exit, of: region, change: change, room: room, time: since)
    }
}

/// An enter or exit event of the whole house. It is published once and not retained.
package struct HouseEvent: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case enter, exit
    }

    package var kind: Kind

    /// The room in which the beacon was heard first; `nil` for an exit, or if no room is known.
    package var room: String?

    /// The time by the owner's wall clock: nanoseconds since the Unix epoch; `nil` if the clock was not set.
    package var time: Int64?

    /// The identifier: equal for the same change of the same region, whichever node publishes it.
    package var identifier: UInt64

    package init(kind: Kind, room: String?, time: Int64?, identifier: UInt64) {
        self.kind = kind
        self.room = room
        self.time = time?.wholeMilliseconds
        self.identifier = identifier
    }

    init(_ kind: Kind, of region: UInt64, change: UInt64, room: String?, time: Int64?) {
        let identifier = Ownership.weight(region, "\(change) \(kind.rawValue)".utf8.fnv1a)
        self.init(kind: kind, room: kind == .enter ? room : nil, time: time, identifier: identifier)
    }
}

extension Int64 {
    /// Nanoseconds, rounded down to whole milliseconds.
    fileprivate var wholeMilliseconds: Int64 {
        let rest = self % 1_000_000
        return addingClamped(rest < 0 ? -1_000_000 - rest : -rest)
    }
}

extension Moment {
    /// 2026-01-01, before the first release. A Raspberry Pi has no clock of its own and starts at an earlier date.
    private static let firstRelease: Int64 = 1_767_225_600_000_000_000

    /// The wall clock; `nil` if it was not set yet.
    var date: Int64? { wall >= Self.firstRelease ? wall : nil }
}

/// An effect that ``HouseReplica`` asks its driver for.
package enum HouseAction: Hashable, Sendable {
    /// Subscribe to every node's observations of the region, the retained ones too.
    case subscribe(region: String)
    case unsubscribe(region: String)
    /// Publish this node's own observation of the region again. Behind a subscription its return shows that the retained
    /// observations of the others have arrived.
    case repeatObservation(region: String)
    /// The region's message lists this node as receiving the beacon: publish its observation again unless it does.
    case confirmObservation(region: String)
    /// Publish the region's state, retained, before what follows it.
    case publishState(region: String, HouseState)
    /// Publish an event, not retained.
    case publishEvent(region: String, HouseEvent)
    /// Publish the number of nodes, retained: this node counts them.
    case publishHouse(online: Int)
    /// Publish, retained and in the name of a node that is silent, that it is offline.
    case publishOffline(node: String)
    /// Empty the status of a node that was forgotten: the owner of a region still waits for it.
    case publishForgotten(node: String)
    /// Drop what is stored of a node.
    case deleted(node: String)
    /// Publish this node's own description again: it did not come back.
    case repeatDescription
    /// Subscribe to everything again.
    case subscribeAgain
    /// Publish, retained, that this node is online: the broker delivers to it.
    case publishOnline
    /// Notify this node's own consumers.
    case happened(region: String, HouseNews)
}

/// News of the whole house for the consumers of one node, in the order of the region monitor's events: an enter or exit is
/// followed by its state.
package enum HouseNews: Hashable, Sendable {
    case didDetermineState(RegionState)
    /// - Parameters:
    ///   - room: the room; `nil` if no room is known.
    ///   - isOwner: whether this node acts for the house: it alone runs the house's hooks.
    case didEnterRegion(room: String?, isOwner: Bool)
    case didExitRegion(isOwner: Bool)
    /// `nil` for no room.
    case didDetermineRoom(String?)

    init(_ kind: HouseEvent.Kind, room: String?, isOwner: Bool) {
        self =
            switch kind {
            case .enter: .didEnterRegion(room: room, isOwner: isOwner)
            case .exit: .didExitRegion(isOwner: isOwner)
            }
    }
}
