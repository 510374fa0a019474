import HCI
import IBeacon
import OkaeriEvents
import OkaeriMQTT
import OkaeriPlumbing
import OkaeriPresence
import OkaeriRooms
import OkaeriTestSupport
import RegionMonitoring
import Synchronization
import Testing

@testable import OkaeriHouse

/// Several nodes and a broker that delivers at once, in virtual time.
struct HouseBench {
    final class Node {
        var core: BrokerCore
        var isConnected = false
        /// The subscriptions and the values of the client, in the order in which they were first made.
        fileprivate(set) var filters: [String] = [] { didSet { matches = [:] } }
        /// The subscriptions to which the own messages are not delivered.
        fileprivate(set) var narrowFilters: Set<String> = [] { didSet { matches = [:] } }
        /// The topics that were looked at, and whether one of the filters matches.
        private var matches: [String: Bool] = [:]
        fileprivate(set) var values: [(topic: String, payload: [UInt8])] = []
        /// The events that wait until `online` is published, and those that the broker has not acknowledged.
        fileprivate var backlog: [MQTTPublication] = []
        fileprivate var unanswered: [MQTTPublication] = []
        fileprivate var isOpen = false

        fileprivate(set) var happened: [Event.Kind] = []
        fileprivate(set) var notes: [String] = []
        fileprivate(set) var reports: [(radio: String, report: RadioReport)] = []
        fileprivate(set) var lost: [String] = []
        fileprivate(set) var removed: [String] = []
        fileprivate(set) var restarts = 0
        fileprivate(set) var wanted: WantedBeacons?
        fileprivate(set) var definitions: [[UInt8]] = []
        var engine: (any BenchEngine)?

        var batteries: [String: BatteryReport] = [:]
        var beacons: [RegionMonitor.BeaconSnapshot] = []
        /// The seconds for which the own radio has not listened.
        var deaf = 0.0
        fileprivate let collector: HeardCollector
        fileprivate let found: Found

        fileprivate init(_ core: BrokerCore, _ engine: (any BenchEngine)?) {
            let found = Found()
            (self.core, self.engine, self.found) = (core, engine, found)
            collector = HeardCollector { found.sender() }
        }

        fileprivate func receivesItsOwn(_ topic: String) -> Bool {
            filters.contains { !narrowFilters.contains($0) && HouseBench.matches($0, topic) }
        }

        fileprivate func receives(_ topic: String) -> Bool {
            if let known = matches[topic] { return known }
            let isSubscribed = filters.contains { HouseBench.matches($0, topic) }
            matches[topic] = isSubscribed
            return isSubscribed
        }
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
        var bytes: [UInt8]
        var isRetained: Bool
        var payload: String { String(decoding: bytes, as: UTF8.self) }
    }

    static let second = Nanoseconds.second
    static let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
    static let owner = BeaconUUID(high: 0xE2C5_6DB5_DFFB_48D2, low: 0xB060_D0F5_A710_96E0)

    private(set) var nodes: [String: Node] = [:] { didSet { names = nodes.keys.sorted() } }
    /// The names of the nodes, in order.
    private var names: [String] = []
    private(set) var retained: [String: [UInt8]] = [:]
    /// All publications, in order; the node of another client is empty.
    private(set) var log: [Publication] = []
    /// The events of the engines that the other consumers of their nodes received.
    private(set) var engineEvents: [(node: String, kind: Event.Kind)] = []
    /// The topics that the broker does not deliver.
    var withheld: Set<String> = []
    private(set) var now: Int64 = 100_000 * second
    /// The delay between a node and the broker, in each direction.
    var delays: [String: Int64] = [:]
    /// Draws the messages of QoS 0 that the broker loses: three of ten; `nil`: none.
    var losses: SeededGenerator?
    /// The times at which a node sent a message that the broker lost.
    private(set) var lostReports: [String: [Int64]] = [:]
    /// The nodes whose connection is dead without their noticing: nothing passes, in either direction.
    var dead: Set<String> = []

    private enum Delivery {
        case message(MQTTMessage)
        /// PUBACK for an event.
        case acknowledgement(MQTTPublication)
    }

    /// The deliveries on their way from the broker to a node, and the messages from a node to the broker, in order.
    private var queue: [(due: Int64, node: String, delivery: Delivery)] = []
    private var sent: [(due: Int64, publication: Publication)] = []

    private var moment: Moment { Moment(instant: now, wall: 1_780_000_000 * Self.second + now) }

    // MARK: Nodes

    static func beacons(_ identifier: String) -> BeaconRegion {
        BeaconRegion(
            identifier: identifier,
            constraint: .major(owner, UInt16(truncatingIfNeeded: identifier.utf8.fnv1a)))
    }

    /// A beacon of a region.
    static func beacon(_ identifier: String, minor: UInt16 = 1) -> BeaconIdentity {
        BeaconIdentity(uuid: owner, major: UInt16(truncatingIfNeeded: identifier.utf8.fnv1a), minor: minor)
    }

    static func region(_ identifier: String) -> BrokerRegion { BrokerRegion(MonitoredRegion(beacons(identifier))) }

    mutating func start(
        _ settings: BrokerSettings, _ regions: [BrokerRegion], incarnation: String, memory: HouseMemory = HouseMemory(),
        engine: (any BenchEngine)? = nil, connects: Bool
    ) {
        let name = settings.node
        var core = BrokerCore(settings, regions: regions, incarnation: incarnation, since: moment.wall)
        core.restored(memory, isStale: false)
        nodes[name] = Node(core, engine)
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

    /// The client of a node publishes that it is online once more.
    mutating func refresh(_ name: String) {
        guard let node = nodes[name], node.isConnected else { return }
        for (topic, payload) in node.values where topic.hasSuffix("/status") {
            publish(topic, payload, isRetained: true, by: name)
        }
        settle()
    }

    /// The connection is lost; the daemon goes on, and the broker publishes the last will.
    mutating func cut(_ name: String) {
        disconnect(name)
        publish("okaeri/home/node/\(name)/status", "offline")
        settle()
    }

    /// The daemon ends without a message, and the broker publishes the last will.
    mutating func kill(_ name: String, will: Bool = true) {
        queue.removeAll { $0.node == name }
        nodes[name] = nil
        dead.remove(name)
        // Behind what is on its way: the kernel still sends it.
        let topic = "okaeri/home/node/\(name)/status"
        if will { publish(topic, Array("offline".utf8), isRetained: true, by: delays[name] == nil ? "" : name) }
        settle()
    }

    /// The broker starts again with that data, and the nodes connect in that order.
    mutating func restartBroker(with data: [String: [UInt8]], connecting names: String...) {
        for name in nodes.keys.sorted() where nodes[name]?.isConnected == true { disconnect(name) }
        retained = data
        for name in names { begin(name) }
        for name in names { run(name) { $0.connected(at: $1) } }
        settle()
    }

    private mutating func disconnect(_ name: String) {
        // What has no answer is sent again over the next connection.
        if let node = nodes[name] { (node.backlog, node.unanswered) = (node.unanswered + node.backlog, []) }
        queue.removeAll { $0.node == name }
        sent.removeAll { $0.publication.node == name }
        dead.remove(name)
        nodes[name]?.isConnected = false
        run(name) { $0.disconnected(at: $1) }
    }

    mutating func perform(_ name: String, _ body: (inout BrokerCore, Moment) -> [BrokerCore.Output]) {
        run(name, body)
        settle()
    }

    private mutating func run(_ name: String, _ body: (inout BrokerCore, Moment) -> [BrokerCore.Output]) {
        guard let node = nodes[name] else { return }
        carryOut(body(&node.core, moment), of: name)
    }

    mutating func change(_ name: String, _ body: (inout Node) -> Void) {
        guard var node = nodes[name] else { return }
        body(&node)
    }

    /// The radio of a receiver receives a beacon of a region.
    mutating func receive(_ name: String, minor: UInt16 = 1, rssi: Int8 = -60, region: String = "keys") {
        let sender = Reception.Sender.beacon(Self.beacon(region, minor: minor), measuredPower: -59)
        receive(name, Reception(sender, rssi: rssi, at: Instant(nanoseconds: now)))
    }

    /// The radio of a node has listened until now, and received that; its engine learns of it.
    mutating func listen(_ name: String, _ reception: Reception?) {
        if let reception { receive(name, reception) }
        decide(name) { engine, now in
            (engine as? LiveEngine).map { live in
                var live = live
                defer { engine = live }
                return live.listened(reception, at: now)
            } ?? []
        }
        settle()
    }

    mutating func receive(_ name: String, _ reception: Reception) {
        guard let node = nodes[name] else { return }
        node.collector.received(reception)
        if node.found.take() { perform(name) { $0.senderFound(at: $1.instant) } }
    }

    /// Lets time pass, from deadline to deadline.
    mutating func pass(_ seconds: Double) {
        let end = now + Int64(seconds * Double(Self.second))
        while let due = nextDue, due <= end {
            now = max(now, due)
            settle()
        }
        now = end
    }

    private var nextDue: Int64? {
        let deadlines = nodes.values.lazy.compactMap { $0.core.nextDeadline }.min()
        return [deadlines, queue.lazy.map(\.due).min(), sent.first?.due].compactMap(\.self).min()
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
        let publication = Publication(
            time: now, node: node, topic: topic, bytes: payload, isRetained: isRetained)
        guard !dead.contains(node) else { return }
        guard let delay = delays[node] else { return arrived(publication) }
        if !isRetained, topic.hasSuffix("/heard"), isLost() {
            lostReports[node, default: []].append(now)
            return
        }
        let due = max(now + delay, sent.last { $0.publication.node == node }?.due ?? 0)
        let position = sent.firstIndex { $0.due > due } ?? sent.endIndex
        sent.insert((due, publication), at: position)
    }

    private mutating func isLost() -> Bool {
        guard var random = losses else { return false }
        defer { losses = random }
        return Int.random(in: 0..<10, using: &random) < 3
    }

    /// A message arrives at the broker.
    private mutating func arrived(_ publication: Publication) {
        log.append(publication)
        log[log.endIndex - 1].time = now
        if publication.isRetained { retained[publication.topic] = publication.bytes.isEmpty ? nil : publication.bytes }
        if publication.topic.hasSuffix("/event") {
            enqueue(.acknowledgement(.event(publication.topic, publication.bytes)), for: publication.node)
        }
        guard !withheld.contains(publication.topic) else { return }
        let message = MQTTMessage(topic: publication.topic, payload: publication.bytes, isRetained: false)
        for name in names {
            guard let node = nodes[name], node.isConnected,
                name == publication.node
                    ? node.receivesItsOwn(publication.topic) : node.receives(publication.topic)
            else { continue }
            enqueue(.message(message), for: name)
        }
    }

    private mutating func deliverRetained(_ filter: String, to name: String) {
        for (topic, payload) in retained.sorted(by: { $0.key < $1.key })
        where Self.matches(filter, topic) && !withheld.contains(topic) {
            enqueue(.message(MQTTMessage(topic: topic, payload: payload, isRetained: true)), for: name)
        }
    }

    private mutating func enqueue(_ delivery: Delivery, for name: String) {
        guard nodes[name] != nil, !dead.contains(name) else { return }
        let due = delays[name].map { max(now + $0, queue.last { $0.node == name }?.due ?? 0) } ?? now
        queue.append((due, name, delivery))
    }

    private static func matches(_ filter: String, _ topic: String) -> Bool {
        var (filter, topic) = (filter.split(separator: "/"), topic.split(separator: "/"))
        if filter.last == "#" {
            filter.removeLast()
            topic = Array(topic.prefix(filter.count))
        }
        return filter.count == topic.count && zip(filter, topic).allSatisfy { $0 == "+" || $0 == $1 }
    }

    /// Delivers everything. As the broker's thread does, each node handles its deadlines between two messages.
    private mutating func settle() {
        var rounds = 0
        while true {
            for name in names { advance(name) }
            while let first = sent.first, first.due <= now {
                sent.removeFirst()
                arrived(first.publication)
            }
            guard let next = queue.firstIndex(where: { $0.due <= now }) else {
                guard nodes.values.contains(where: { ($0.core.nextDeadline ?? .max) <= now }) else { return }
                rounds += 1
                guard rounds < 1000 else {
                    Issue.record("a deadline stays due")
                    return
                }
                continue
            }
            let (_, name, delivery) = queue.remove(at: next)
            guard let node = nodes[name], node.isConnected, !dead.contains(name) else { continue }
            switch delivery {
            case .message(let message): run(name) { $0.received(message, at: $1) }
            case .acknowledgement(let event):
                node.unanswered.removeAll { $0 == event }
                run(name) { core, _ in core.acknowledged(event) }
            }
        }
    }

    private mutating func advance(_ name: String) {
        guard let node = nodes[name], let due = node.core.nextDeadline, due <= now else { return }
        let isRanging = node.core.distances.nextDeadline.map { $0 <= now } ?? false
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
            case .subscribe(let filter), .subscribeToOthers(let filter):
                if case .subscribeToOthers = output { nodes[name]?.narrowFilters.insert(filter) }
                guard nodes[name]?.filters.contains(filter) == false else { continue }
                nodes[name]?.filters.append(filter)
                if nodes[name]?.isConnected == true { deliverRetained(filter, to: name) }
            case .unsubscribe(let filter): nodes[name]?.filters.removeAll { $0 == filter }
            case .subscribeAgain: for filter in nodes[name]?.filters ?? [] { deliverRetained(filter, to: name) }
            case .happened(let kind, _):
                nodes[name]?.happened.append(kind)
                if case .house(let region, let news) = kind { unrecorded.append((region, news)) }
            case .measureBatteries:
                let batteries = nodes[name]?.batteries ?? [:]
                run(name) { $0.batteriesMeasured(batteries, at: $1) }
            case .collectHeard: collect(name)
            case .wanted(let wanted):
                nodes[name]?.wanted = wanted
                nodes[name]?.collector.wanted(wanted)
            case .reported(let radio, let report):
                nodes[name]?.reports.append((radio, report))
                decide(name) { $0.received(report, by: radio, at: $1) }
            case .radioLost(let radio):
                nodes[name]?.lost.append(radio)
                decide(name) { $0.radioLost(radio, at: $1) }
            case .radioRemoved(let radio):
                nodes[name]?.removed.append(radio)
                decide(name) { $0.radioRemoved(radio, at: $1) }
            case .removeExcludedRadios:
                guard let core = nodes[name]?.core else { continue }
                decide(name) { $0.radiosRemoved(where: { core.excludes(radio: $0) }, at: $1) }
            case .restart: nodes[name]?.restarts += 1
            case .announce, .answer, .memoryChanged: break
            case .takeOver(let states): takeOver(states, of: name)
            case .definitions(let text): nodes[name]?.definitions.append(text)
            case .note(let note), .recovered(let note): nodes[name]?.notes.append(note)
            }
        }
        // The hub of events records behind the outputs that are on their way.
        for (region, news) in unrecorded { run(name) { $0.recorded(news, of: region, at: $1.instant) } }
    }

    private mutating func takeOver(_ states: [String: RegionState], of name: String) {
        run(name) { core, _ in core.tookOver() }
        decide(name) { $0.announced(states, at: $1) }
    }

    /// Gives an input to the engine of a node, and its events to the node.
    private mutating func decide(_ name: String, _ input: (inout any BenchEngine, Int64) -> [Event.Kind]) {
        guard var engine = nodes[name]?.engine else { return }
        let kinds = input(&engine, now)
        nodes[name]?.engine = engine
        for kind in kinds { determine(name, kind) }
    }

    /// The engine of a node has an event; the node's other consumers learn of it unless the node is silent.
    private mutating func determine(_ name: String, _ kind: Event.Kind) {
        guard let core = nodes[name]?.core else { return }
        if !core.announcements.isSilent(about: kind) { engineEvents.append((name, kind)) }
        run(name) { $0.happened(kind, at: $1) }
    }

    /// The engine of a node has these events, in order.
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
            if publication.quality == .atLeastOnce { node.unanswered.append(publication) }
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
            node.backlog = []
            for event in backlog { publish(event, by: name) }
        }
    }

    private mutating func collect(_ name: String) {
        guard let node = nodes[name] else { return }
        let instant = Instant(nanoseconds: now)
        guard node.core.ownReports.isIdleMessageDue(at: now) || node.collector.isAwaited(at: instant) else { return }
        let listened = Duration.nanoseconds(now) - .seconds(node.deaf)
        let message = node.collector.take(at: instant, listened: listened)
        run(name) { $0.heardCollected(message, at: $1.instant) }
    }
}
