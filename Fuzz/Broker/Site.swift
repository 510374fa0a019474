import Agreement
import Events
import FuzzSupport
import HCI
import MQTT
import Plumbing
import RegionMonitoring

@testable import House

/// Two nodes of a house and a broker that delivers at once, at a clock that the input sets.
struct Site {
    static let name = "home"
    static let discovery = "homeassistant"
    static let names = ["hall", "attic"]
    private static let second: Int64 = 1_000_000_000

    private(set) var members = Self.names.map { Member($0) }
    private var retained: [String: [UInt8]] = [:]
    private var queue: [(member: Int, message: MQTTMessage)] = []
    private(set) var now: Int64 = 1000 * Self.second

    /// The maximum number of deliveries that one step of the input may cause.
    private static let deliveryLimit = 20_000

    private var moment: Moment { Moment(instant: now, wall: 1_795_000_000 * Self.second + now) }

    /// Has a member's daemon start, if it has not, and the broker accept it.
    mutating func connect(_ index: Int) {
        guard !members[index].isConnected else { return }
        if !members[index].hasStarted {
            members[index].hasStarted = true
            carryOut(members[index].core.started(), of: index)
            perform(index) { core, _ in core.bluetoothChanged(.init(state: .poweredOn, adapter: "hci0", reason: "")) }
        }
        members[index].isConnected = true
        let outputs = members[index].core.connected(at: moment)
        for filter in members[index].filters.sorted() { deliverRetained(filter, to: index) }
        for (topic, payload) in members[index].values.sorted(by: { $0.key < $1.key }) {
            publish(topic, payload, isRetained: true)
        }
        carryOut(outputs, of: index)
        settle()
    }

    /// Cuts a member's connection; the broker publishes its will.
    mutating func cut(_ index: Int) {
        guard members[index].isConnected else { return }
        members[index].isConnected = false
        perform(index) { $0.disconnected(at: $1) }
        publish("okaeri/\(Self.name)/node/\(Self.names[index])/status", Array("offline".utf8), isRetained: true)
        settle()
    }

    mutating func perform(_ index: Int, _ body: (inout BrokerCore, Moment) -> [BrokerCore.Output]) {
        guard members[index].hasStarted else { return }
        carryOut(body(&members[index].core, moment), of: index)
        settle()
    }

    /// Delivers a message to a member that may not have asked for its topic.
    mutating func deliver(_ message: MQTTMessage, to index: Int) {
        guard members[index].isConnected else { return }
        queue.append((index, message))
        settle()
    }

    mutating func publish(_ topic: String, _ payload: [UInt8], isRetained: Bool) {
        if isRetained { retained[topic] = payload.isEmpty ? nil : payload }
        for index in members.indices where members[index].isConnected && members[index].wants(topic) {
            queue.append((index, MQTTMessage(topic: topic, payload: payload, isRetained: false)))
        }
    }

    mutating func settle() {
        var next = 0
        while next < queue.count {
            let (index, message) = queue[next]
            next += 1
            require(next < Self.deliveryLimit, "the nodes answer each other without end")
            guard members[index].isConnected else { continue }
            carryOut(members[index].core.received(message, at: moment), of: index)
        }
        queue = []
    }

    /// Lets time pass: deadline by deadline for a while, then at once, as for a process that was suspended.
    mutating func pass(_ span: Int64, turns: Int) {
        let end = now + span
        for _ in 0..<turns {
            guard let due = members.compactMap({ $0.hasStarted ? $0.core.nextDeadline : nil }).min(), due <= end else {
                break
            }
            now = max(now, due)
            turn()
        }
        now = end
        turn()
    }

    /// Does the work of a daemon's thread when something is due: it looks again after a microsecond.
    private mutating func turn() {
        for index in members.indices where members[index].hasStarted {
            var attempts = 0
            while let due = members[index].core.nextDeadline, due <= now {
                attempts += 1
                require(attempts < 10, "what is due is due again at once, without end: \(deadlines(of: index))")
                if attempts > 1 { now += 1000 }
                let isRanging = members[index].core.rangingAt.map { $0 <= now } ?? false
                let list = members[index].heard
                perform(index) { core, now in
                    core.advanced(to: now) + (isRanging ? core.measured(list, at: now.instant) : [])
                }
            }
        }
    }

    private func deadlines(of index: Int) -> String {
        let core = members[index].core
        return """
            observations \(core.plan.nextDeadline ?? 0), house \(core.house.nextDeadline ?? 0), remains \
            \(core.looksUntil ?? 0), ranging \(core.rangingAt ?? 0), survey \(core.survey?.nextDeadline ?? 0), now \(now)
            """
    }

    mutating func hears(_ index: Int, _ list: [RegionMonitor.BeaconSnapshot]) { members[index].heard = list }

    private mutating func carryOut(_ outputs: [BrokerCore.Output], of index: Int) {
        for output in outputs {
            members[index].check(output, at: moment)
            switch output {
            case .publish(let publication):
                if publication.isRetained {
                    // The session publishes a value again only where it is another one.
                    let old = members[index].values.updateValue(publication.payload, forKey: publication.topic)
                    if publication.payload.isEmpty { members[index].values[publication.topic] = nil }
                    guard old != publication.payload else { continue }
                }
                guard members[index].isConnected else { continue }
                publish(publication.topic, publication.payload, isRetained: publication.isRetained)
            case .repeat(let topic):
                guard members[index].isConnected, let value = members[index].values[topic] else { continue }
                publish(topic, value, isRetained: true)
            case .release(let topic): members[index].values[topic] = nil
            case .subscribe(let filter):
                guard members[index].filters.insert(filter).inserted, members[index].isConnected else { continue }
                deliverRetained(filter, to: index)
            case .unsubscribe(let filter): members[index].filters.remove(filter)
            case .subscribeAgain:
                guard members[index].isConnected else { continue }
                for filter in members[index].filters.sorted() { deliverRetained(filter, to: index) }
            case .happened(let kind, _):
                // The member's hub records it.
                guard case .house(let region, let news) = kind else { continue }
                carryOut(members[index].core.recorded(news, of: region, at: moment), of: index)
            case .announce, .answer, .note, .surveyed, .measureBatteries: break
            }
        }
        members[index].checkBounds()
    }

    private mutating func deliverRetained(_ filter: String, to index: Int) {
        for (topic, payload) in retained.sorted(by: { $0.key < $1.key }) where Member.matches(filter, topic) {
            queue.append((index, MQTTMessage(topic: topic, payload: payload, isRetained: true)))
        }
    }
}

/// A node of the house, and what its session with the broker holds.
struct Member {
    /// One whose name may stand in a topic, one that may not, and one that looks like the hash of another.
    static let regions = ["keys", "お帰り", "x0123456789ab", "car"]

    let name: String
    var core: BrokerCore
    var hasStarted = false
    var isConnected = false
    var filters: Set<String> = [] {
        didSet { if filters != oldValue { wanted = [:] } }
    }
    /// Whether a topic was found to be subscribed to.
    private var wanted: [String: Bool] = [:]
    /// The values that are published again when a connection begins.
    var values: [String: [UInt8]] = [:]
    var heard: [RegionMonitor.BeaconSnapshot] = []

    init(_ name: String) {
        self.name = name
        let settings = BrokerSettings(
            node: name, room: name, site: Site.name, discovery: name == Site.names[0] ? Site.discovery : nil,
            version: "1.0.0")
        core = BrokerCore(
            settings, regions: Self.regions.prefix(3).map { BrokerRegion($0, beacon: $0) }, incarnation: "\(name)-1",
            since: 1_795_000_000_000_000_000)
    }

    mutating func wants(_ topic: String) -> Bool {
        if let known = wanted[topic] { return known }
        let isWanted = filters.contains { Self.matches($0, topic) }
        wanted[topic] = isWanted
        return isWanted
    }

    /// All filters of the contract have one level of any name at most.
    static func matches(_ filter: String, _ topic: String) -> Bool {
        guard let place = filter.utf8.firstIndex(of: UInt8(ascii: "+")) else { return filter == topic }
        let (start, end) = (filter.utf8[..<place], filter.utf8[filter.utf8.index(after: place)...])
        guard topic.utf8.count > start.count + end.count, topic.utf8.starts(with: start) else { return false }
        let rest = topic.utf8.dropFirst(start.count)
        return rest.suffix(end.count).elementsEqual(end)
            && !rest.dropLast(end.count).contains(UInt8(ascii: "/"))
    }
}
