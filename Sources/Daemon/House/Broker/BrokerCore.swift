import IBeacon
package import OkaeriEvents
import OkaeriMQTT
import OkaeriPlumbing
import OkaeriPresence
import OkaeriRooms
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
        /// Do not publish the topic again: its value at the broker is another node's from now on. Its events that wait are dropped.
        case release(topic: String)
        case subscribe(String)
        /// Subscribe, without the messages that this node publishes.
        case subscribeToOthers(String)
        case unsubscribe(String)
        /// Make every subscription again, so that the broker delivers its retained messages again.
        case subscribeAgain
        /// Publish every value again.
        case announce
        /// Notify this node's own consumers; the time is nanoseconds since the Unix epoch.
        case happened(Event.Kind, at: Int64)
        /// Answer this node's Wi-Fi prompt.
        case answer(prompt: String, answer: String)
        /// Call ``batteriesMeasured(_:at:)`` with this node's levels.
        case measureBatteries
        /// Call ``heardCollected(_:at:)`` with what this node's radio has received.
        case collectHeard
        /// Pass on what the hub wants of this node's radio; `nil`: nothing.
        case wanted(WantedBeacons?)
        /// Give the report of a radio to the engine; its times are on this clock.
        case reported(radio: String, RadioReport)
        /// Tell the engine that a radio is away.
        case radioLost(String)
        /// Tell the engine that a radio does not come back.
        case radioRemoved(String)
        /// Tell the engine that the radios which ``excludes(radio:)`` do not come back.
        case removeExcludedRadios
        /// Give the announced states of regions to the engine, which announces what differs, and call ``tookOver()`` before.
        case takeOver([String: RegionState])
        /// The definitions of the hub's regions, at a standby.
        case definitions([UInt8])
        /// ``memory`` has changed without an event.
        case memoryChanged
        /// Start the daemon again.
        case restart
        /// Write a message to the log.
        case note(String)
        /// Write to the log that a problem of the connection has ended.
        case recovered(String)
    }

    let settings: BrokerSettings
    let topics: Topics
    let since: String
    /// `nil` if this node publishes nothing for Home Assistant.
    var discovery: Discovery?

    var delivery = Delivery()
    var election: HubElection
    var isConnected = false
    var connectionLog = ConnectionLog()
    /// Whether `online` was published over this connection.
    var isOnline = false
    var retention = Retention()
    var repeats = RepeatPlan()

    /// The regions of the configuration, in order, with their levels in topics.
    private(set) var regions: [Region] = []
    /// The positions of the regions by identifier, and the identifiers by level.
    private(set) var positions: [String: Int] = [:]
    private(set) var identifiers: [String: String] = [:]
    /// The rooms and the news of the regions, at a hub.
    var house: HouseRegions
    /// The states as this node determined them, by identifier.
    var states: [String: RegionValue] = [:]
    var announcements: Announcements
    /// The regions as they are at the broker, by level: at a receiver as the hub published it, at a hub those found before it claims.
    var publishedRegions: [String: RegionValue] = [:]
    /// The definitions of the hub's regions that a standby received last.
    var definitions: [UInt8] = []
    /// Whether the hub is online, as far as the consumers of events know.
    var isHubKnown = false
    /// The identifier of the last event of each.
    var lastEvent: [String: UInt64] = [:]

    var nodes = HouseNodes()
    /// The hub of the site, at a receiver.
    var hub: HubClaim?
    /// The receptions of the regions' beacons by this machine's own radio.
    var ownRate: ReceptionRate?
    var radios = RadioStreams()
    var ownReports = OwnReports()
    /// The receivers of other makes, at a hub.
    var receivers: ForeignReceivers

    /// The announcement of devices.
    var announced: Announced?
    /// The regions whose distance from a radio was announced.
    var parts: Set<DistanceTopics.Part> = []
    var remains = Remains()

    var scanner = Scanner(ok: false, adapter: nil, reason: "it has just started")
    /// The house's message as this hub published it.
    var houseValue: [UInt8] = []

    var prompt: WiFiPromptTopic
    var distances = DistanceTopics()
    var batteries = BatteryTopics()
    var restartedAt: Int64?

    struct Region: Sendable, Hashable {
        var region: BrokerRegion
        var level: String
        var identifier: String { region.identifier }
    }

    init(_ settings: BrokerSettings, regions configured: [BrokerRegion], incarnation: String, since: Int64) {
        self.settings = settings
        topics = Topics(site: settings.site)
        prompt = WiFiPromptTopic(topics, node: settings.node)
        self.since = Timestamp.text(since)
        election = HubElection(
            HubClaim(
                name: settings.node, incarnation: incarnation, since: Timestamp.text(since),
                isStandby: settings.kind == .standby))
        announcements = Announcements(node: settings.node, kind: settings.kind)
        receivers = ForeignReceivers(settings.kind == .receiver ? [] : settings.receivers)
        house = HouseRegions([])
        discovery = settings.discovery.map {
            Discovery(topics: Topics(site: settings.site), prefix: $0, version: settings.version)
        }
        setRegions(configured)
    }

    mutating func setRegions(_ configured: [BrokerRegion]) {
        regions = configured.map { Region(region: $0, level: TopicName($0.identifier).level) }
        positions = Dictionary(
            regions.enumerated().map { ($1.identifier, $0) }, uniquingKeysWith: { first, _ in first })
        identifiers = Dictionary(
            regions.map { ($0.level, $0.identifier) }, uniquingKeysWith: { first, _ in first })
        house.replaced(with: regions.map(\.identifier))
        states = states.filter { positions[$0.key] != nil }
        if !receivers.isEmpty { receivers.wanted(wantedBeacons) }
        announcements.configured(Set(positions.keys))
        election.isPrepared = isHub || !regions.isEmpty
        if isStandby { for published in publishedRegions.values { publishedRegionFound(published, isRetained: true) } }
    }

    /// The time at which ``advanced(to:)`` is needed next; `nil` if only an input can change anything.
    var nextDeadline: Int64? {
        // Each message needs it; a list would be allocated.
        var next = Int64.max
        func include(_ deadline: Int64?) { if let deadline, deadline < next { next = deadline } }
        include(house.nextDeadline)
        include(delivery.nextDeadline)
        include(election.actsAt)
        include(nodes.nextDeadline)
        include(remains.nextDeadline)
        include(distances.nextDeadline)
        include(batteries.nextDeadline)
        include(ownReports.nextDeadline)
        include(radios.nextDeadline)
        include(repeats.nextDeadline)
        include(retention.nextDeadline)
        include(announcements.nextDeadline)
        include(receivers.nextDeadline)
        include(connectionLog.nextDeadline)
        return next < .max ? next : nil
    }

    var node: String { settings.node }
    var isHub: Bool { settings.kind == .hub }

    /// Whether this node is a radio of a hub, at the moment.
    var isRadio: Bool { !isHub && !isHolding }

    /// Whether this node has an engine with the regions of the house.
    var hasEngine: Bool { settings.kind != .receiver }

    /// Whether this node decides for the house, and the broker has confirmed it.
    var isHolding: Bool { hasEngine && election.state == .holding }

    func name(_ level: String) -> TopicName { TopicName(level) }
}

/// The settings of this node and its house.
package struct BrokerSettings: Hashable, Sendable {
    package var node: String
    package var room: String?
    /// The correction that is added to this node's signals, in dB.
    package var offset: Double
    package var site: String
    /// Whether this node decides, is a radio of a house whose regions are configured elsewhere, or both in turn.
    package var kind: NodeKind
    /// Whether the daemon is started again after it has ended on request.
    package var restarts: Bool
    /// Home Assistant's topic prefix for discovery; `nil` for no discovery.
    package var discovery: String?
    /// The version of this program.
    package var version: String
    /// The address of this node's page for other devices; `nil`: none.
    package var page: String?

    /// The names of the nodes whose reports, and whose decisions as a standby, count here; `nil` for all nodes.
    package var radios: Set<String>?

    /// The receivers of other makes.
    package var receivers: [ReceiverSettings]

    package init(
        node: String, room: String?, offset: Double = 0, site: String, kind: NodeKind = .hub, discovery: String?,
        version: String, restarts: Bool = true, page: String? = nil, radios: Set<String>? = nil,
        receivers: [ReceiverSettings] = []
    ) {
        (self.receivers, self.restarts) = (receivers, restarts)
        (self.node, self.room, self.offset) = (node, room, offset)
        (self.site, self.kind, self.discovery) = (site, kind, discovery)
        (self.version, self.page, self.radios) = (version, page, radios)
    }

    /// Whether a node may change what this node decides.
    func uses(_ name: String) -> Bool { radios?.contains(name) ?? true }
}

/// A configured region.
package struct BrokerRegion: Hashable, Sendable {
    let identifier: String
    let region: MonitoredRegion
    /// The region as in a configuration, without commands and secrets: a JSON object, for a standby.
    let definition: String

    package init(_ region: MonitoredRegion, definition: String = "{}") {
        identifier = region.identifier
        self.region = region
        self.definition = definition
    }
}
