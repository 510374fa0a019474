import Events
import HCI
import IBeacon
import MQTT
import Plumbing
import Presence
import RegionMonitoring
import Rooms
import Synchronization
import Testing

@testable import House

/// The engine of a node, as far as it takes over announced states.
protocol HouseEngine: Sendable {
    mutating func announced(_ states: [String: RegionState]) -> [Event.Kind]
}

/// Several nodes and a broker that delivers at once, in virtual time.
struct HouseBench {
    struct Node {
        var core: BrokerCore
        var isConnected = false
        /// The subscriptions and the values of the client, in the order in which they were first made.
        fileprivate(set) var filters: [String] = []
        fileprivate(set) var values: [(topic: String, payload: [UInt8])] = []
        /// The events that wait until `online` is published.
        fileprivate var backlog: [MQTTPublication] = []
        fileprivate var isOpen = false

        fileprivate(set) var happened: [Event.Kind] = []
        fileprivate(set) var notes: [String] = []
        fileprivate(set) var reports: [(radio: String, report: RadioReport)] = []
        fileprivate(set) var lost: [String] = []
        fileprivate(set) var removed: [String] = []
        fileprivate(set) var restarts = 0
        fileprivate(set) var wanted: WantedBeacons?
        fileprivate(set) var definitions: [[UInt8]] = []
        /// Takes over announced states, as the engine.
        var engine: (any HouseEngine)?

        var batteries: [String: BatteryReport] = [:]
        var beacons: [RegionMonitor.BeaconSnapshot] = []
        /// The seconds for which the own radio has not listened.
        var deaf = 0.0
        fileprivate let collector: HeardCollector
        fileprivate let found: Found
    }

    /// Whether the collector has found a new sender.
    fileprivate final class Found: Sendable {
        private let isFound = Mutex(false)

        func sender() { isFound.withLock { $0 = true } }

        func take() -> Bool {
            isFound.withLock { found in
                defer { found = false }
                return found
            }
        }
    }

    struct Publication: Equatable {
        var time: Int64
        var node: String
        var topic: String
        var payload: String
        var isRetained: Bool
    }

    static let second = Nanoseconds.second
    static let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
    private static let owner = BeaconUUID(high: 0xE2C5_6DB5_DFFB_48D2, low: 0xB060_D0F5_A710_96E0)

    private(set) var nodes: [String: Node] = [:]
    private(set) var retained: [String: [UInt8]] = [:]
    /// All publications, in order; the node of another client is empty.
    private(set) var log: [Publication] = []
    /// The events of the engines that the other consumers of their nodes received.
    private(set) var engineEvents: [(node: String, kind: Event.Kind)] = []
    /// The topics that the broker does not deliver.
    var withheld: Set<String> = []
    private(set) var now: Int64 = 100_000 * second
    private var queue: [(node: String, message: MQTTMessage)] = []

    private var moment: Moment { Moment(instant: now, wall: 1_780_000_000 * Self.second + now) }

    // MARK: Nodes

    static func region(_ identifier: String) -> BrokerRegion {
        let beacons = BeaconRegion(
            identifier: identifier,
            constraint: .major(owner, UInt16(truncatingIfNeeded: identifier.utf8.fnv1a)))
        return BrokerRegion(MonitoredRegion(beacons))
    }

    /// A hub's daemon starts and connects.
    mutating func startHub(
        _ name: String, room: String? = nil, regions: [String] = ["keys"], incarnation: String? = nil,
        discovery: String? = "homeassistant", memory: HouseMemory = HouseMemory(), engine: (any HouseEngine)? = nil,
        connects: Bool = true
    ) {
        let settings = BrokerSettings(
            node: name, room: room ?? name, site: "home", discovery: discovery, version: "1.0.0")
        start(
            settings, regions.map(Self.region), incarnation: incarnation ?? "\(name)-\(now)", memory: memory,
            engine: engine, connects: connects)
    }

    /// A receiver's daemon starts and connects.
    mutating func startReceiver(_ name: String, room: String? = nil, offset: Double = 0) {
        let settings = BrokerSettings(
            node: name, room: room ?? name, offset: offset, site: "home", kind: .receiver, discovery: "homeassistant",
            version: "1.0.0")
        start(settings, [], incarnation: "\(name)-\(now)", connects: true)
    }

    /// A standby's daemon starts and connects; it has the regions from an earlier run.
    mutating func startStandby(
        _ name: String, regions: [String] = ["keys"], incarnation: String? = nil, memory: HouseMemory = HouseMemory(),
        engine: (any HouseEngine)? = nil, connects: Bool = true
    ) {
        let settings = BrokerSettings(
            node: name, room: name, site: "home", kind: .standby, discovery: "homeassistant", version: "1.0.0")
        start(
            settings, regions.map(Self.region), incarnation: incarnation ?? "\(name)-\(now)", memory: memory,
            engine: engine, connects: connects)
    }

    private mutating func start(
        _ settings: BrokerSettings, _ regions: [BrokerRegion], incarnation: String, memory: HouseMemory = HouseMemory(),
        engine: (any HouseEngine)? = nil, connects: Bool
    ) {
        let name = settings.node
        var core = BrokerCore(settings, regions: regions, incarnation: incarnation, since: moment.wall)
        core.restored(memory, isStale: false)
        let found = Found()
        nodes[name] = Node(core: core, engine: engine, collector: HeardCollector { found.sender() }, found: found)
        run(name) { $0.started(at: $1) }
        if connects { connect(name) }
        perform(name) { core, _ in core.bluetoothChanged(.init(state: .poweredOn, adapter: "hci0", reason: "")) }
    }

    mutating func connect(_ name: String) {
        begin(name)
        run(name) { $0.connected(at: $1) }
        settle()
    }

    /// The client sends its subscriptions and values.
    private mutating func begin(_ name: String) {
        nodes[name]?.isConnected = true
        nodes[name]?.isOpen = false
        for filter in nodes[name]?.filters ?? [] { deliverRetained(filter, to: name) }
        for (topic, payload) in nodes[name]?.values ?? [] { publish(topic, payload, isRetained: true, by: name) }
    }

    /// The connection is lost; the daemon goes on, and the broker publishes the last will.
    mutating func cut(_ name: String) {
        disconnect(name)
        publish("okaeri/home/node/\(name)/status", "offline")
        settle()
    }

    /// The daemon ends without a message, and the broker publishes the last will.
    mutating func kill(_ name: String, will: Bool = true) {
        nodes[name] = nil
        if will { publish("okaeri/home/node/\(name)/status", "offline") }
        settle()
    }

    /// The broker starts again with that data, and the nodes connect in that order.
    mutating func restartBroker(with data: [String: [UInt8]], connecting names: String...) {
        queue = []
        for name in nodes.keys.sorted() where nodes[name]?.isConnected == true { disconnect(name) }
        retained = data
        for name in names { begin(name) }
        for name in names { run(name) { $0.connected(at: $1) } }
        settle()
    }

    private mutating func disconnect(_ name: String) {
        nodes[name]?.isConnected = false
        run(name) { $0.disconnected(at: $1) }
    }

    mutating func perform(_ name: String, _ body: (inout BrokerCore, Moment) -> [BrokerCore.Output]) {
        run(name, body)
        settle()
    }

    private mutating func run(_ name: String, _ body: (inout BrokerCore, Moment) -> [BrokerCore.Output]) {
        // Taken out, so that it is not copied.
        guard var node = nodes.removeValue(forKey: name) else { return }
        let outputs = body(&node.core, moment)
        nodes[name] = node
        carryOut(outputs, of: name)
    }

    mutating func change(_ name: String, _ body: (inout Node) -> Void) {
        guard var node = nodes[name] else { return }
        body(&node)
        nodes[name] = node
    }

    /// The engine of a hub determines a state, with an enter or exit event.
    mutating func see(_ name: String, _ state: RegionState, region: String = "keys", isEvent: Bool = true) {
        if isEvent, state != .unknown {
            perform(name) { core, now in
                let beacon = RangedBeacon(
                    identity: BeaconIdentity(uuid: Self.owner, major: 1, minor: 1), rssi: -60, accuracy: 1)
                return core.happened(
                    state == .inside ? .didEnterRegion(region: region, beacon) : .didExitRegion(region: region), at: now
                )
            }
        }
        perform(name) { $0.happened(.didDetermineState(region: region, state), at: $1) }
    }

    /// A radio receives a beacon: the own one of a hub, or a receiver.
    mutating func hear(_ name: String, rssi: Int8 = -60, region: String = "keys", by radio: String? = nil) {
        perform(name) { $0.heard(by: radio, region, from: 1, rssi: rssi, at: $1) }
    }

    /// The radio of a receiver receives a beacon of a region.
    mutating func receive(_ name: String, minor: UInt16 = 1, rssi: Int8 = -60, region: String = "keys") {
        let major = Self.region(region).region.constraint?.major ?? 0
        let identity = BeaconIdentity(uuid: Self.owner, major: major, minor: minor)
        receive(name, Reception(.beacon(identity, measuredPower: -59), rssi: rssi, at: Instant(nanoseconds: now)))
    }

    mutating func receive(_ name: String, _ reception: Reception) {
        guard let node = nodes[name] else { return }
        node.collector.received(reception)
        if node.found.take() { perform(name) { $0.senderFound(at: $1.instant) } }
    }

    /// Lets time pass, from deadline to deadline.
    mutating func pass(_ seconds: Double) {
        let end = now + Int64(seconds * Double(Self.second))
        while let due = nodes.values.compactMap({ $0.core.nextDeadline }).min(), due <= end {
            now = max(now, due)
            settle()
        }
        now = end
    }

    // MARK: The broker

    /// Another client publishes a retained message; an empty one deletes it.
    mutating func overwrite(_ topic: String, _ payload: String) {
        publish(topic, payload)
        settle()
    }

    /// Another client publishes a message that is not retained.
    mutating func send(_ topic: String, _ payload: String) {
        publish(topic, Array(payload.utf8), isRetained: false, by: "")
        settle()
    }

    private mutating func publish(_ topic: String, _ payload: String) {
        publish(topic, Array(payload.utf8), isRetained: true, by: "")
    }

    private mutating func publish(_ topic: String, _ payload: [UInt8], isRetained: Bool, by node: String) {
        log.append(
            Publication(
                time: now, node: node, topic: topic, payload: String(decoding: payload, as: UTF8.self),
                isRetained: isRetained))
        if isRetained { retained[topic] = payload.isEmpty ? nil : payload }
        deliver(topic, payload)
    }

    private mutating func deliver(_ topic: String, _ payload: [UInt8]) {
        guard !withheld.contains(topic) else { return }
        for (name, node) in nodes.sorted(by: { $0.key < $1.key })
        where node.isConnected && node.filters.contains(where: { Self.matches($0, topic) }) {
            queue.append((name, MQTTMessage(topic: topic, payload: payload, isRetained: false)))
        }
    }

    private mutating func deliverRetained(_ filter: String, to name: String) {
        for (topic, payload) in retained.sorted(by: { $0.key < $1.key })
        where Self.matches(filter, topic) && !withheld.contains(topic) {
            queue.append((name, MQTTMessage(topic: topic, payload: payload, isRetained: true)))
        }
    }

    private static func matches(_ filter: String, _ topic: String) -> Bool {
        let (filter, topic) = (filter.split(separator: "/"), topic.split(separator: "/"))
        return filter.count == topic.count && zip(filter, topic).allSatisfy { $0 == "+" || $0 == $1 }
    }

    /// Delivers everything. As the broker's thread does, each node handles its deadlines between two messages.
    private mutating func settle() {
        var rounds = 0
        while true {
            for name in nodes.keys.sorted() { advance(name) }
            guard !queue.isEmpty else {
                guard nodes.values.contains(where: { ($0.core.nextDeadline ?? .max) <= now }) else { return }
                rounds += 1
                guard rounds < 1000 else {
                    Issue.record("a deadline stays due")
                    return
                }
                continue
            }
            let (name, message) = queue.removeFirst()
            guard nodes[name]?.isConnected == true else { continue }
            run(name) { $0.received(message, at: $1) }
        }
    }

    private mutating func advance(_ name: String) {
        guard let node = nodes[name], let due = node.core.nextDeadline, due <= now else { return }
        let isRanging = node.core.rangingAt.map { $0 <= now } ?? false
        run(name) { $0.advanced(to: $1) }
        if isRanging { run(name) { $0.measured(node.beacons, at: $1.instant) } }
    }

    // MARK: A node's client and its other parts

    private mutating func carryOut(_ outputs: [BrokerCore.Output], of name: String) {
        var unrecorded: [(region: String, news: HouseNews)] = []
        for output in outputs {
            switch output {
            case .publish(let publication): publish(publication, by: name)
            case .repeat(let topic):
                guard let value = nodes[name]?.values.first(where: { $0.topic == topic }) else { continue }
                if nodes[name]?.isConnected == true { publish(topic, value.payload, isRetained: true, by: name) }
            case .release(let topic):
                nodes[name]?.values.removeAll { $0.topic == topic }
                nodes[name]?.backlog.removeAll { $0.topic == topic }
            case .subscribe(let filter):
                guard nodes[name]?.filters.contains(filter) == false else { continue }
                nodes[name]?.filters.append(filter)
                if nodes[name]?.isConnected == true { deliverRetained(filter, to: name) }
            case .unsubscribe(let filter): nodes[name]?.filters.removeAll { $0 == filter }
            case .subscribeAgain: for filter in nodes[name]?.filters ?? [] { deliverRetained(filter, to: name) }
            case .announce: break
            case .happened(let kind, _):
                nodes[name]?.happened.append(kind)
                if case .house(let region, let news) = kind { unrecorded.append((region, news)) }
            case .answer: break
            case .measureBatteries:
                let batteries = nodes[name]?.batteries ?? [:]
                run(name) { $0.batteriesMeasured(batteries, at: $1) }
            case .collectHeard: collect(name)
            case .wanted(let wanted):
                nodes[name]?.wanted = wanted
                nodes[name]?.collector.wanted(wanted)
            case .reported(let radio, let report): nodes[name]?.reports.append((radio, report))
            case .radioLost(let radio): nodes[name]?.lost.append(radio)
            case .radioRemoved(let radio): nodes[name]?.removed.append(radio)
            case .restart: nodes[name]?.restarts += 1
            case .takeOver(let states): takeOver(states, of: name)
            case .definitions(let text): nodes[name]?.definitions.append(text)
            case .note(let note): nodes[name]?.notes.append(note)
            }
        }
        // The hub of events records behind the outputs that are on their way.
        for (region, news) in unrecorded { run(name) { $0.recorded(news, of: region, at: $1.instant) } }
    }

    private mutating func takeOver(_ states: [String: RegionState], of name: String) {
        run(name) { core, _ in core.tookOver() }
        guard var engine = nodes[name]?.engine else { return }
        let kinds = engine.announced(states)
        nodes[name]?.engine = engine
        for kind in kinds { determine(name, kind) }
    }

    /// The engine of a node has an event; the node's other consumers learn of it unless the node is silent.
    private mutating func determine(_ name: String, _ kind: Event.Kind) {
        guard let core = nodes[name]?.core else { return }
        if !core.isSilent(about: kind) { engineEvents.append((name, kind)) }
        run(name) { $0.happened(kind, at: $1) }
    }

    /// The same, from outside.
    mutating func determined(_ name: String, _ kinds: [Event.Kind]) {
        for kind in kinds { determine(name, kind) }
        settle()
    }

    private mutating func publish(_ publication: MQTTPublication, by name: String) {
        guard let node = nodes[name] else { return }
        let (topic, payload) = (publication.topic, publication.payload)
        guard publication.isRetained else {
            guard node.isConnected, node.isOpen else {
                if publication.quality == .atLeastOnce { nodes[name]?.backlog.append(publication) }
                return
            }
            return publish(topic, payload, isRetained: false, by: name)
        }
        if let index = node.values.firstIndex(where: { $0.topic == topic }) {
            guard node.values[index].payload != payload else { return }
            nodes[name]?.values[index].payload = payload
        } else {
            nodes[name]?.values.append((topic, payload))
        }
        guard node.isConnected else { return }
        publish(topic, payload, isRetained: true, by: name)
        if payload.isEmpty { nodes[name]?.values.removeAll { $0.topic == topic } }
        if topic == "okaeri/home/node/\(name)/status" {
            nodes[name]?.isOpen = true
            let backlog = node.backlog
            nodes[name]?.backlog = []
            for event in backlog { publish(event.topic, event.payload, isRetained: false, by: name) }
        }
    }

    private mutating func collect(_ name: String) {
        guard let node = nodes[name] else { return }
        let instant = Instant(nanoseconds: now)
        guard node.core.isIdleMessageDue(at: now) || node.collector.isAwaited(at: instant) else { return }
        let listened = Duration.nanoseconds(now) - .seconds(node.deaf)
        let message = node.collector.take(at: instant, listened: listened)
        run(name) { $0.heardCollected(message, at: $1.instant) }
    }

    // MARK: Observations

    /// A retained value as text; `nil`: there is none.
    func value(_ topic: String) -> String? { retained[topic].map { String(decoding: $0, as: UTF8.self) } }

    /// The retained topics of the house and of Home Assistant.
    var topics: [String] { retained.keys.sorted() }

    /// The messages that a node has published since a time, with topics that contain a text.
    func published(_ name: String, _ text: String = "", since time: Int64 = 0) -> [Publication] {
        log.filter { $0.node == name && $0.time >= time && $0.topic.contains(text) }
    }

    /// The events of the house, as the broker had them.
    var events: [String] {
        log.filter { !$0.isRetained && $0.topic.hasPrefix("okaeri/home/region/") && $0.topic.hasSuffix("/event") }
            .compactMap { Wire.event(Array($0.payload.utf8))?.kind.rawValue }
    }

    /// The messages of the radio of a receiver.
    func heard(_ name: String) -> [HeardMessage] {
        published(name, "/heard").compactMap { HeardMessage(Array($0.payload.utf8)) }
    }

    /// The news of the house for the node's own consumers, in a word or two each.
    func news(_ name: String) -> [String] {
        (nodes[name]?.happened ?? []).compactMap { kind in
            guard case .house(_, let news) = kind else { return nil }
            return switch news {
            case .didDetermineState(let state): state.rawValue
            case .didEnterRegion(let room, _): "enter \(room ?? "?")"
            case .didExitRegion: "exit"
            case .didDetermineRoom(let room): "room \(room ?? "none")"
            }
        }
    }
}
