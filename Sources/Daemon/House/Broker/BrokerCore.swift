import Agreement
import Events
import IBeacon
import MQTT
import Plumbing
package import RegionMonitoring

/// The decisions of ``Broker``: everything but threads, sockets and clocks.
///
/// An input is a function in the past tense and returns the outputs. Instants are those of one monotonic clock, see
/// ``Moment``.
struct BrokerCore: Sendable {
    enum Output: Sendable, Equatable {
        case publish(MQTTPublication)
        /// Publish the topic's value again: another client changed it.
        case `repeat`(topic: String)
        /// Do not publish the topic again: its value at the broker is another node's from now on.
        case release(topic: String)
        case subscribe(String)
        case unsubscribe(String)
        /// Make every subscription again, so that the broker delivers its retained messages again.
        case subscribeAgain
        /// Publish every value again.
        case announce
        /// Notify this node's own consumers; the time is nanoseconds since the Unix epoch.
        case happened(Event.Kind, at: Int64)
        /// Answer this node's Wi-Fi prompt.
        case answer(prompt: String, answer: String)
        /// The survey may be complete.
        case surveyed
        /// Call ``batteriesMeasured(_:at:)`` with this node's levels.
        case measureBatteries
        /// Write a message to the log.
        case note(String)
    }

    let node: String
    let topics: Topics
    let version: String
    let since: String
    let room: String?
    /// `nil` if this node publishes nothing for Home Assistant.
    let discovery: Discovery?

    /// The identifier of this run. ``renamed(at:)`` appends a number.
    let incarnation: String
    private var names = 0
    private var renamedAt: Int64?
    var house: HouseReplica
    var plan: ObservationPlan
    /// Whether `online` was published over this connection.
    var isOnline = false
    var retention = Retention()

    /// The identifiers of the regions by their level in topics, the levels in the order of the configuration, and the levels by
    /// identifier.
    private(set) var regions: [String: String] = [:]
    private(set) var levels: [String] = []
    private(set) var levelOf: [String: String] = [:]
    private(set) var list = NodeCard.RegionList([:])
    /// The regions by their level.
    private(set) var described: [String: BrokerRegion] = [:]
    /// The levels of the regions whose retained message has other beacons than this node: the owner publishes it again.
    var misdescribed: Set<String> = []
    /// The events of this node, by level, that its hub has not recorded yet.
    var unrecorded: [String: [HouseEvent]] = [:]

    /// The descriptions and states of the nodes, by name.
    var cards = NodeCards()
    var statuses: [String: Bool] = [:]
    var scanners: [String: Scanner] = [:]
    /// The nodes, and the levels at which their beacons differ from this node's, of which a message was logged.
    var conflicts: [String: [String]] = [:]
    /// The end of the intervals that such messages have used.
    var conflictsUntil = Int64.min
    /// Every node's observations, while a client of this daemon asks for them.
    var survey: Survey?

    /// Whether this node was the hub when that was last checked.
    var wasHub = false
    /// The choice of owners for which devices were announced, and the announcement.
    var announcedOwnership: UInt64 = 0
    var announced: Announced?
    /// The retained topics found until `looksUntil` that may be out of date.
    var found: Set<String> = []
    var looksUntil: Int64?
    /// The levels of regions that are not configured here and have a retained state.
    var strangers: Set<String> = []

    var scanner = Scanner(ok: false, adapter: nil, reason: "it has just started")
    var repeats = RepeatPlan()
    /// The number of nodes that this node counted last as the hub, and the house's message as it published it.
    var counted: Int?
    var houseValue: [UInt8] = []

    /// The prompt that waits for an answer.
    var prompt: (id: String, ssid: String, region: String?)?
    /// The levels of the regions with a beacon inside, and of those whose distance was published.
    var inside: Set<String> = []
    var ranged: Set<String> = []
    /// The time of the next measurement of distances.
    var rangingAt: Int64?
    /// The battery levels at the broker, by the region's level, also of regions that are not configured here.
    var batteries: [String: BatteryReport] = [:]
    /// The battery levels that this node published last, by the region's level.
    var publishedBatteries: [String: BatteryReport] = [:]
    /// The battery levels that this node deleted since the connection, by the region's level.
    var endedBatteries: [String: BatteryReport] = [:]
    /// The time of the next look at this node's battery levels; `nil` without a connection.
    var batteriesAt: Int64?

    init(_ settings: BrokerSettings, regions configured: [BrokerRegion], incarnation: String, since: Int64) {
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
        setRegions(configured)
        let moment = Moment(instant: 0, wall: since)
        _ = house.regionsReplaced(with: levels, at: moment)
        _ = house.nodeDescribed(node: node, room: room, regions: nil, announces: discovery != nil, at: moment)
        _ = plan.regionsReplaced(with: levels, at: 0)
    }

    mutating func setRegions(_ configured: [BrokerRegion]) {
        levels = configured.map { TopicName($0.identifier).level }
        let pairs = zip(levels, configured)
        regions = Dictionary(pairs.map { ($0, $1.identifier) }, uniquingKeysWith: { first, _ in first })
        levelOf = Dictionary(pairs.map { ($1.identifier, $0) }, uniquingKeysWith: { first, _ in first })
        described = Dictionary(pairs.map { ($0, $1) }, uniquingKeysWith: { first, _ in first })
        list = NodeCard.RegionList(described.mapValues(\.fingerprint))
    }

    /// Publishes this node's observations under a new incarnation, once in 10 s at most, after another client published one in
    /// this node's name that counts as newer.
    mutating func renamed(at now: Int64) -> [Output] {
        guard renamedAt.map({ now.subtractingClamped($0) >= 10_000_000_000 }) ?? true else { return [] }
        renamedAt = now
        names += 1
        return published(plan.renamed("\(incarnation)-\(names)", at: now))
    }

    /// The time at which ``advanced(to:)`` is needed next; `nil` if only an input can change anything.
    var nextDeadline: Int64? {
        [
            plan.nextDeadline, house.nextDeadline, looksUntil, rangingAt, batteriesAt, survey?.nextDeadline,
            repeats.nextDeadline, retention.nextDeadline,
        ].compactMap(\.self).min()
    }

    var isConnected: Bool { house.isConnected }

    var card: NodeCard {
        NodeCard(room: room, version: version, since: since, announces: discovery != nil, regions: list.regions)
    }

    func name(_ level: String) -> TopicName { TopicName(level) }
}

/// The settings of this node and its house.
package struct BrokerSettings: Hashable, Sendable {
    package var node: String
    package var room: String?
    /// The correction that is added to this node's signals, in dB.
    package var offset: Double
    package var site: String
    /// Home Assistant's topic prefix for discovery; `nil` for no discovery.
    package var discovery: String?
    /// The version of this program.
    package var version: String

    package init(
        node: String, room: String?, offset: Double = 0, site: String, discovery: String?, version: String
    ) {
        (self.node, self.room, self.offset) = (node, room, offset)
        (self.site, self.discovery, self.version) = (site, discovery, version)
    }
}

/// A configured region.
package struct BrokerRegion: Hashable, Sendable {
    let identifier: String
    /// 64 bits of the beacon's identity: nodes compare it, because a region's state has no meaning for another beacon.
    let fingerprint: String
    /// The beacons, for machines that join the house; `nil` for several signs.
    private(set) var beacons: BeaconConstraint?
    /// Whether this node uses the battery levels of the beacons.
    private(set) var usesBattery = true

    /// - Parameter beacon: UUID, major and minor in the same form on every node.
    package init(_ identifier: String, beacon: String = "") {
        self.identifier = identifier
        fingerprint = String(beacon.utf8.fnv1a, radix: 16)
    }

    package init(_ region: MonitoredRegion) {
        self.init(region.identifier, beacon: region.signs.map(\.identity.description).sorted().joined(separator: "|"))
        beacons = region.constraint
        usesBattery = region.battery != .off
    }
}
