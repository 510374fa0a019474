import Agreement
import Plumbing
import RegionMonitoring

/// The messages over the broker, as values: a topic and its payload.
enum ModelMessage: Equatable {
    case status(node: String, isOnline: Bool)
    case scanner(node: String, isScanning: Bool)
    case description(node: String, room: String)
    case observation(node: String, region: String, Observation)
    case state(region: String, HouseState)
    /// The region's topic was emptied by hand.
    case cleared(region: String)
    case event(region: String, HouseEvent)
    /// A node's topics were emptied.
    case forgotten(node: String)

    /// The topic, under which the latest is retained; nil: it is not.
    var topic: String? {
        switch self {
        case .status(let node, _): "node/\(node)/status"
        case .scanner(let node, _): "node/\(node)/scanner"
        case .description(let node, _): "node/\(node)/about"
        case .observation(let node, let region, _): "node/\(node)/region/\(region)"
        case .state(let region, _): "region/\(region)"
        case .event, .forgotten, .cleared: nil
        }
    }

    /// The line within which messages keep their order: emptied topics come behind what was retained under them.
    var line: String? {
        switch self {
        case .forgotten(let node): "node/\(node)/status"
        case .cleared(let region): "region/\(region)"
        default: topic
        }
    }

    var isState: Bool { state != nil }

    var state: HouseState? { if case .state(_, let state) = self { state } else { nil } }

    /// The region, if only its owner wants it.
    var observationOf: String? { if case .observation(_, let region, _) = self { region } else { nil } }
}

/// A message on its way to one node.
struct ModelDelivery {
    var due: Int64
    /// Keeps the order of one publisher.
    var order: Int
    var session: Int
    var message: ModelMessage
    var isRetained: Bool
}

/// One node: its house, its plan, its clocks, and what it hears.
struct ModelNode {
    let name: String
    let room: String
    /// The lead of its monotonic clock and its wall clock over the model's time.
    let ahead: (instant: Int64, wall: Int64)
    var house: HouseReplica
    var plan: ObservationPlan
    var incarnations = 0
    var isAlive = false
    var isFrozen = false
    var isConnected = false
    var isScanning = true
    /// Whether the broker drops what it should deliver to the node, by a rule on its topics.
    var isDeaf = false
    /// The messages that the broker retained of the node before another client emptied its topics.
    var emptied: [ModelMessage] = []
    /// The daemon that a second one of the same name displaced.
    var displaced: (house: HouseReplica, plan: ObservationPlan)?
    /// The time at which the last connection ended.
    var lostAt: Int64 = 0
    /// Counts its connections: what was under way in an earlier one is lost.
    var session = 0
    var subscribed: Set<String> = []
    var inbox: [ModelDelivery] = []
    /// The time at which each sender's last message arrives, so that its messages keep their order.
    var lastDue: [String: Int64] = [:]
    /// The time of the next refresh of its status.
    var refreshAt = Int64.max
    /// The events that wait for a connection.
    var outbox: [(event: HouseEvent, at: Int64)] = []
    /// The event that was written last, and whether a node has announced it.
    var written: (change: UInt64, kind: HouseEvent.Kind, at: Int64, isAnnounced: Bool)?
    /// The change that another node's last news named: this node may name it, too, without having written it.
    var named: UInt64?

    /// The last change with an event that this process wrote, or received when it was written.
    var seen: (change: UInt64, kind: HouseEvent.Kind, at: Int64)?

    func moment(_ now: Int64) -> Moment { Moment(instant: now + ahead.instant, wall: now + ahead.wall) }

    /// The next time at which something happens here by itself.
    func nextDue() -> Int64? {
        guard isAlive, !isFrozen else { return nil }
        let timers = [house.nextDeadline, isConnected ? plan.nextDeadline : nil].map { $0.map { $0 - ahead.instant } }
        let refresh = isConnected && refreshAt < .max ? refreshAt : nil
        return [timers[0], timers[1], inbox.first?.due, refresh].compactMap(\.self).min()
    }
}
