import Rooms
import Events
import HCI
import MQTT
import Plumbing
import RegionMonitoring

@testable import House

/// Several nodes and a broker that delivers at once, at a clock that is set by hand.
struct HouseBench {
    struct Node {
        var core: BrokerCore
        var isConnected = false
        var filters: Set<String> = []
        /// The values that this node publishes again when it connects.
        var values: [String: [UInt8]] = [:]
        var happened: [Event.Kind] = []
        var answers: [String] = []
        var notes: [String] = []
        /// This node's battery levels, by region.
        var batteries: [String: BatteryReport] = [:]
        /// Whether the node's hub records events at once.
        var isRecording = true
        fileprivate var unrecorded: [(region: String, news: HouseNews)] = []
    }

    static let second: Int64 = 1_000_000_000

    private(set) var nodes: [String: Node] = [:]
    private(set) var retained: [String: [UInt8]] = [:]
    /// The messages that were not retained.
    private(set) var events: [MQTTMessage] = []
    /// Whether the broker delivers retained messages to subscriptions with wildcards.
    var deliversToWildcards = true
    var now: Int64 = 1000 * second
    private var queue: [(node: String, message: MQTTMessage)] = []

    /// A node's daemon starts.
    mutating func start(
        _ name: String, room: String? = nil, regions: [String] = ["keys"], discovery: String? = "homeassistant",
        beacon: String = ""
    ) {
        let settings = BrokerSettings(
            node: name, room: room ?? name, site: "home", discovery: discovery, version: "1.0.0")
        let core = BrokerCore(
            settings, regions: regions.map { BrokerRegion($0, beacon: beacon) }, incarnation: "\(name)-\(now)",
            since: now)
        nodes[name] = Node(core: core)
        let outputs = core.started()
        carryOut(outputs, of: name)
        connect(name)
        perform(name) { core, _ in core.bluetoothChanged(.init(state: .poweredOn, adapter: "hci0", reason: "")) }
    }

    mutating func connect(_ name: String) {
        nodes[name]?.isConnected = true
        let outputs = nodes[name]?.core.connected(at: Moment(instant: now, wall: now)) ?? []
        // The client subscribes before it publishes.
        for filter in nodes[name]?.filters ?? [] { deliverRetained(filter, to: name) }
        for (topic, payload) in nodes[name]?.values ?? [:] { publish(topic, payload, isRetained: true) }
        carryOut(outputs, of: name)
        settle()
    }

    /// Its connection is cut; the broker publishes its will.
    mutating func kill(_ name: String, will: Bool = true) {
        nodes[name]?.isConnected = false
        nodes[name] = nil
        if will { publish("okaeri/home/node/\(name)/status", Array("offline".utf8), isRetained: true) }
        settle()
    }

    /// Its connection is cut; its daemon goes on, and the broker publishes its will.
    mutating func cut(_ name: String) {
        nodes[name]?.isConnected = false
        perform(name) { $0.disconnected(at: $1) }
        publish("okaeri/home/node/\(name)/status", Array("offline".utf8), isRetained: true)
        settle()
    }

    mutating func perform(_ name: String, _ body: (inout BrokerCore, Moment) -> [BrokerCore.Output]) {
        guard var node = nodes[name] else { return }
        let outputs = body(&node.core, Moment(instant: now, wall: now))
        nodes[name] = node
        carryOut(outputs, of: name)
        settle()
    }

    /// The node's region monitor decides, and the beacon is heard with that signal.
    mutating func see(_ name: String, _ state: RegionState, rssi: Int8? = nil, region: String = "keys") {
        perform(name) { $0.determined(region, state, at: $1.instant) }
        if let rssi { perform(name) { $0.heard(region, from: 1, rssi: rssi, at: $1.instant) } }
    }

    /// The node has received a battery level of the region's beacon just now; `nil`: it has none any more.
    mutating func battery(_ name: String, _ percent: Int?, minor: UInt16 = 1, region: String = "keys") {
        nodes[name]?.batteries[region] = percent.map {
            BatteryReport(percent: $0, time: Timestamp.text(now), source: "advertised", major: 1, minor: minor)
        }
    }

    /// Lets time pass, with what each node hears all the while, five times a second.
    mutating func pass(_ seconds: Double, hearing signals: [String: Int8] = [:]) {
        let end = now + Int64(seconds * Double(Self.second))
        while now < end {
            now += Self.second / 5
            for (name, rssi) in signals.sorted(by: { $0.key < $1.key }) {
                perform(name) { $0.heard("keys", from: 1, rssi: rssi, at: $1.instant) }
            }
            for name in nodes.keys.sorted() {
                guard let due = nodes[name]?.core.nextDeadline, due <= now else { continue }
                perform(name) { $0.advanced(to: $1) }
            }
        }
    }

    /// Publishes a message of another client.
    mutating func publish(_ topic: String, _ payload: [UInt8], isRetained: Bool) {
        if isRetained { retained[topic] = payload.isEmpty ? nil : payload }
        if !isRetained { events.append(MQTTMessage(topic: topic, payload: payload, isRetained: false)) }
        for (name, node) in nodes.sorted(by: { $0.key < $1.key })
        where node.isConnected && node.filters.contains(where: { Self.matches($0, topic) }) {
            queue.append((name, MQTTMessage(topic: topic, payload: payload, isRetained: false)))
        }
    }

    /// Has the node's hub record the events that wait, and those to come.
    mutating func record(_ name: String) {
        nodes[name]?.isRecording = true
        while let first = nodes[name]?.unrecorded.first {
            nodes[name]?.unrecorded.removeFirst()
            perform(name) { core, now in core.recorded(first.news, of: first.region, at: now) }
        }
    }

    /// Has the node's hub wait for its disk.
    mutating func stopRecording(_ name: String) { nodes[name]?.isRecording = false }

    /// The broker loses what it kept of a topic.
    mutating func lose(_ topic: String) { retained[topic] = nil }

    mutating func settle() {
        while !queue.isEmpty {
            let (name, message) = queue.removeFirst()
            guard var node = nodes[name], node.isConnected else { continue }
            let outputs = node.core.received(message, at: Moment(instant: now, wall: now))
            nodes[name] = node
            carryOut(outputs, of: name)
        }
    }

    private mutating func carryOut(_ outputs: [BrokerCore.Output], of name: String) {
        for output in outputs {
            switch output {
            case .publish(let publication):
                if publication.isRetained {
                    guard
                        nodes[name]?.values.updateValue(publication.payload, forKey: publication.topic)
                            != publication.payload
                    else { continue }
                }
                guard nodes[name]?.isConnected == true else { continue }
                publish(publication.topic, publication.payload, isRetained: publication.isRetained)
            case .repeat(let topic):
                guard let value = nodes[name]?.values[topic] else { continue }
                publish(topic, value, isRetained: true)
            case .release(let topic): nodes[name]?.values[topic] = nil
            case .subscribe(let filter):
                // The client asks the broker once.
                guard nodes[name]?.filters.insert(filter).inserted == true else { continue }
                if nodes[name]?.isConnected == true { deliverRetained(filter, to: name) }
            case .unsubscribe(let filter): nodes[name]?.filters.remove(filter)
            case .subscribeAgain:
                for filter in nodes[name]?.filters ?? [] { deliverRetained(filter, to: name) }
            case .announce, .surveyed: break
            case .measureBatteries:
                guard var node = nodes[name] else { continue }
                let outputs = node.core.batteriesMeasured(node.batteries, at: Moment(instant: now, wall: now))
                nodes[name] = node
                carryOut(outputs, of: name)
            case .happened(let kind, _):
                nodes[name]?.happened.append(kind)
                guard case .house(let region, let news) = kind else { continue }
                nodes[name]?.unrecorded.append((region, news))
            case .answer(let prompt, let answer): nodes[name]?.answers.append("\(prompt) \(answer)")
            case .note(let message): nodes[name]?.notes.append(message)
            }
        }
        // The hub records behind the outputs that are on their way.
        if nodes[name]?.isRecording == true { record(name) }
    }

    private mutating func deliverRetained(_ filter: String, to name: String) {
        guard deliversToWildcards || !filter.contains("+") else { return }
        for (topic, payload) in retained.sorted(by: { $0.key < $1.key }) where Self.matches(filter, topic) {
            queue.append((name, MQTTMessage(topic: topic, payload: payload, isRetained: true)))
        }
    }

    private static func matches(_ filter: String, _ topic: String) -> Bool {
        let (filter, topic) = (filter.split(separator: "/"), topic.split(separator: "/"))
        return filter.count == topic.count && zip(filter, topic).allSatisfy { $0 == "+" || $0 == $1 }
    }

    /// A retained value as text; nil: there is none.
    func value(_ topic: String) -> String? { retained[topic].map { String(decoding: $0, as: UTF8.self) } }

    /// Returns the news of the house for the node's own consumers, in a word each.
    func news(_ name: String) -> [String] {
        (nodes[name]?.happened ?? []).compactMap { kind in
            guard case .house(_, let house) = kind else { return nil }
            return switch house {
            case .didDetermineState(let state): state.rawValue
            case .didEnterRegion(let room, _): "enter \(room ?? "?")"
            case .didExitRegion: "exit"
            case .didDetermineRoom(let room): "room \(room ?? "none")"
            }
        }
    }
}
