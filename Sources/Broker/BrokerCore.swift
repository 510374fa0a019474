import Agreement
import Events
import HomeAssistant
import MQTT
import Plumbing
import RegionMonitoring

/// What this node tells a broker, and what it makes of what comes from there: everything but threads, sockets and clocks.
///
/// What happens goes in by a function in the past tense, what is to be done comes back. Instants are those of one monotonic
/// clock, see ``Agreement/Moment``.
struct BrokerCore: Sendable {
    /// What is to be done.
    enum Output: Sendable, Equatable {
        case publish(MQTTPublication)
        /// The topic's value was overwritten by others: it is published again.
        case `repeat`(topic: String)
        /// The topic's value is another node's from now on: it stays at the broker, and is not published from here again.
        case release(topic: String)
        case subscribe(String)
        case unsubscribe(String)
        /// Every subscription is to be made again: the broker delivers its retained messages anew.
        case subscribeAgain
        /// Everything is to be published again: somebody has lost it.
        case announce
        /// For this node's own consumers, at that time on the wall.
        case happened(Event.Kind, at: Int64)
        /// Somebody answers the prompt of this node that waits.
        case answer(prompt: String, word: String)
    }

    let node: String
    let topics: Topics
    let version: String
    let since: String
    /// Nil: Home Assistant is told nothing.
    let discovery: Discovery?

    /// The identifier of this run, with a number behind it if a client has used up its observations.
    let incarnation: String
    private var names = 0
    private var renamedAt: Int64?
    var house: HouseReplica
    var plan: ObservationPlan
    var isConnected = false
    /// Whether `online` was published over this connection.
    var isOnline = false
    /// The choice of owners that was announced.
    var announcedOwnership: UInt64 = 0

    /// The identifiers of the regions, by their level in topics; and in the order of the configuration.
    private(set) var regions: [String: String] = [:]
    private(set) var levels: [String] = []
    /// As the nodes' cards have them.
    private(set) var list = NodeCard.RegionList([])
    /// The other way round: it is asked with each advertisement.
    private(set) var levelOf: [String: String] = [:]
    var room: String?

    /// What nodes say of themselves, and whether they are online, by name.
    var cards = NodeCards()
    var statuses: [String: Bool] = [:]
    var scanners: [String: Scanner] = [:]
    /// What nodes see, while somebody wants to know.
    var survey: Survey?

    /// Whether this node counted the house when it was last looked.
    var wasHub = false
    /// What Home Assistant was told: the topics that are ours, and who was known then.
    var announced: Announced?
    var found: Set<String> = []
    var looksUntil: Int64?
    /// Regions that others watch, or nobody any more, of which the broker has a state: by level.
    var strangers: Set<String> = []

    /// This node's scanner, as it publishes it.
    var scanner = Scanner(ok: false, adapter: nil, reason: "it has just started")
    /// This node's own topics that another client changed.
    var repeats = RepeatPlan()

    /// The prompt that waits for an answer.
    var prompt: (id: String, ssid: String, region: String?)?
    /// Where somebody is, by level, and whether others know how far.
    var inside: Set<String> = []
    var ranged: Set<String> = []
    /// When it is next looked how far the beacons are.
    var rangingAt: Int64?

    init(_ settings: BrokerSettings, regions identifiers: [String], incarnation: String, since: Int64) {
        node = settings.node
        topics = Topics(site: settings.site)
        version = settings.version
        room = settings.room
        self.since = Timestamp.text(since)
        discovery = settings.discovery.map {
            Discovery(topics: Topics(site: settings.site), prefix: $0, version: settings.version)
        }
        self.incarnation = incarnation
        house = HouseReplica(node: settings.node, incarnation: incarnation, regions: [])
        plan = ObservationPlan(regions: [], incarnation: incarnation, offset: settings.offset)
        take(identifiers)
        let moment = Moment(instant: 0, wall: since)
        _ = house.regionsReplaced(with: levels, at: moment)
        _ = house.nodeDescribed(
            node: node, room: room, regions: nil, announces: discovery != nil, at: moment)
        _ = plan.regionsReplaced(with: levels, at: 0)
    }

    mutating func take(_ identifiers: [String]) {
        let levels = identifiers.map { TopicName($0).level }
        regions = Dictionary(zip(levels, identifiers), uniquingKeysWith: { first, _ in first })
        self.levels = levels
        list = NodeCard.RegionList(Set(levels))
        levelOf = Dictionary(zip(identifiers, levels), uniquingKeysWith: { first, _ in first })
    }

    /// Publishes this node's observations under another incarnation, once in ten seconds at most. Another client published one in
    /// its name that counts as newer than its own.
    mutating func renamed(at now: Int64) -> [Output] {
        guard renamedAt.map({ now.subtractingClamped($0) >= 10_000_000_000 }) ?? true else { return [] }
        renamedAt = now
        names += 1
        return published(plan.renamed("\(incarnation)-\(names)", at: now))
    }

    /// When ``advanced(to:)`` is next needed; nil for whenever something happens.
    var nextDeadline: Int64? {
        [plan.nextDeadline, house.nextDeadline, looksUntil, rangingAt, survey?.until, repeats.nextDeadline].compactMap(
            \.self
        ).min()
    }

    var card: NodeCard {
        NodeCard(
            room: room, version: version, since: since, announces: discovery != nil, regions: list.regions)
    }

    /// A hash stands for itself.
    func name(_ level: String) -> TopicName { TopicName(level) }
}

/// What the configuration says of this node and its broker.
package struct BrokerSettings: Hashable, Sendable {
    package var node: String
    package var room: String?
    /// What this node hears too weakly, in dB.
    package var offset: Double
    package var site: String
    /// Where Home Assistant looks for devices; nil: it is told nothing.
    package var discovery: String?
    /// This program's.
    package var version: String

    package init(
        node: String, room: String?, offset: Double = 0, site: String, discovery: String?, version: String
    ) {
        self.node = node
        self.room = room
        self.offset = offset
        self.site = site
        self.discovery = discovery
        self.version = version
    }
}
