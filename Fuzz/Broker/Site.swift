import OkaeriFuzzSupport
import HCI
import IBeacon
import OkaeriEvents
import OkaeriMQTT
import OkaeriPlumbing
import OkaeriPresence
import OkaeriRooms
import RegionMonitoring

@testable import OkaeriHouse

/// The nodes of a house and a broker that delivers at once, at a clock that the input sets.
struct Site {
    static let name = "home"
    static let discovery = "homeassistant"
    /// A hub, a receiver, and a second hub without discovery.
    static let names = ["hall", "attic", "cellar"]
    static let receiver = 1
    private static let second: Int64 = 1_000_000_000
    /// The interval at which a session publishes refreshed values.
    private static let refresh = 300 * Self.second
    private static let epoch = 1_795_000_000 * Self.second

    private(set) var members = Self.names.map { Member($0, incarnation: "\($0)-1", since: Self.epoch) }
    private var retained: [String: [UInt8]] = [:]
    private var queue: [(member: Int, message: MQTTMessage)] = []
    private(set) var now: Int64 = 1000 * Self.second

    /// The maximum number of deliveries that one step of the input may cause.
    private static let deliveryLimit = 20_000

    private var moment: Moment { Moment(instant: now, wall: Self.epoch + now) }

    /// The members that decide for the house, as the broker has confirmed.
    var holders: [String] { members.filter { $0.isConnected && $0.core.isHolding }.map(\.name) }

    // MARK: Members

    /// Has a member's daemon start, if it has not, and the broker accept it.
    mutating func connect(_ index: Int) {
        guard !members[index].isConnected else { return }
        if !members[index].hasStarted {
            members[index].start()
            let outputs = members[index].core.started(at: moment)
            carryOut(outputs, of: index)
            perform(index) { core, _ in core.bluetoothChanged(.init(state: .poweredOn, adapter: "hci0", reason: "")) }
        }
        members[index].isConnected = true
        members[index].refreshAt = now + Self.refresh
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

    /// Ends a member's daemon and starts it again.
    mutating func restart(_ index: Int, incarnation: String) {
        guard members[index].hasStarted else { return }
        let wasConnected = members[index].isConnected
        cut(index)
        members[index] = Member(Self.names[index], incarnation: incarnation, since: moment.wall)
        if wasConnected { connect(index) }
    }

    mutating func perform(_ index: Int, _ body: (inout BrokerCore, Moment) -> [BrokerCore.Output]) {
        guard members[index].hasStarted else { return }
        run(index, body)
        settle()
    }

    private mutating func run(_ index: Int, _ body: (inout BrokerCore, Moment) -> [BrokerCore.Output]) {
        let core = members[index].core
        (members[index].wasDeciding, members[index].wasHolding) = (core.election.isDeciding, core.isHolding)
        carryOut(body(&members[index].core, moment), of: index)
    }

    /// A member's own radio receives an advertisement.
    mutating func receive(_ index: Int, _ reception: Reception) {
        guard members[index].received(reception) else { return }
        perform(index) { $0.senderFound(at: $1.instant) }
    }

    mutating func measure(_ index: Int, _ list: [RegionMonitor.BeaconSnapshot]) { members[index].beacons = list }

    mutating func charge(_ index: Int, _ regions: [String], _ percent: Int) {
        let battery = BatteryReport(
            percent: percent, time: "2026-11-21T17:00:00.000Z", source: "advertised", major: 1, minor: 1)
        members[index].batteries = Dictionary(regions.map { ($0, battery) }, uniquingKeysWith: { first, _ in first })
        let batteries = members[index].batteries
        perform(index) { $0.batteriesMeasured(batteries, at: $1) }
    }

    /// Leaves no room for further outputs to the rest of a member's daemon, or makes room.
    mutating func fill(_ index: Int, _ isFull: Bool) { members[index].isFull = isFull }

    // MARK: The broker

    /// Delivers a message to a member that may not have subscribed to its topic.
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

    private mutating func deliverRetained(_ filter: String, to index: Int) {
        for (topic, payload) in retained.sorted(by: { $0.key < $1.key }) where Member.matches(filter, topic) {
            queue.append((index, MQTTMessage(topic: topic, payload: payload, isRetained: true)))
        }
    }

    mutating func settle() {
        var next = 0
        while next < queue.count {
            let (index, message) = queue[next]
            next += 1
            require(next < Self.deliveryLimit, "the nodes answer each other without end")
            guard members[index].isConnected else { continue }
            run(index) { $0.received(message, at: $1) }
        }
        queue = []
    }

    // MARK: Time

    /// Lets time pass: deadline by deadline for a while, then at once, as for a process that was suspended.
    mutating func pass(_ span: Int64, turns: Int) {
        let end = now + span
        for _ in 0..<turns {
            guard let due = members.compactMap(nextDeadline).min(), due <= end else { break }
            now = max(now, due)
            turn()
        }
        now = end
        turn()
    }

    private func nextDeadline(_ member: Member) -> Int64? {
        guard member.hasStarted else { return nil }
        return [member.core.nextDeadline, member.isConnected ? member.refreshAt : nil].compactMap(\.self).min()
    }

    /// Does the work of a daemon's threads when something is due: the broker's thread looks again after a microsecond.
    private mutating func turn() {
        for index in members.indices where members[index].isConnected && members[index].refreshAt <= now {
            members[index].refreshAt = now + Self.refresh
            for topic in members[index].refreshed.sorted() {
                if let value = members[index].values[topic] { publish(topic, value, isRetained: true) }
            }
        }
        settle()
        for index in members.indices where members[index].hasStarted {
            var attempts = 0
            while let due = members[index].core.nextDeadline, due <= now {
                attempts += 1
                require(attempts < 10, "what is due is due again at once, without end: \(deadlines(of: index))")
                if attempts > 1 { now += 1000 }
                let isRanging = members[index].core.distances.nextDeadline.map { $0 <= now } ?? false
                let list = members[index].beacons
                perform(index) { core, now in
                    core.advanced(to: now) + (isRanging ? core.measured(list, at: now.instant) : [])
                }
            }
        }
    }

    private func deadlines(of index: Int) -> String {
        let core = members[index].core
        return """
            house \(core.house.nextDeadline ?? 0), delivery \(core.delivery.nextDeadline ?? 0), claim \
            \(core.election.actsAt ?? 0), nodes \(core.nodes.nextDeadline ?? 0), remains \(core.remains.nextDeadline ?? 0), ranging \
            \(core.distances.nextDeadline ?? 0), batteries \(core.batteries.nextDeadline ?? 0), heard \(core.ownReports.nextDeadline ?? 0), repeats \
            \(core.repeats.nextDeadline ?? 0), retention \(core.retention.nextDeadline ?? 0), now \(now)
            """
    }

    // MARK: A member's session and the rest of its daemon

    private mutating func carryOut(_ outputs: [BrokerCore.Output], of index: Int) {
        for output in outputs { members[index].check(output, at: moment) }
        members[index].checkBounds()
        var unrecorded: [(region: String, news: HouseNews)] = []
        for output in outputs {
            switch output {
            case .publish(let publication): publish(publication, of: index)
            case .repeat(let topic):
                guard members[index].isConnected, let value = members[index].values[topic] else { continue }
                publish(topic, value, isRetained: true)
            case .release(let topic): members[index].values[topic] = nil
            case .subscribe(let filter), .subscribeToOthers(let filter):
                guard members[index].filters.insert(filter).inserted, members[index].isConnected else { continue }
                deliverRetained(filter, to: index)
            case .unsubscribe(let filter): members[index].filters.remove(filter)
            case .subscribeAgain:
                guard members[index].isConnected else { continue }
                for filter in members[index].filters.sorted() { deliverRetained(filter, to: index) }
            case .announce: break
            case .happened(.house(let region, let news), _):
                if members[index].isFull {
                    members[index].core.dropped(output)
                } else {
                    unrecorded.append((region, news))
                }
            case .measureBatteries:
                let batteries = members[index].batteries
                run(index) { $0.batteriesMeasured(batteries, at: $1) }
            case .collectHeard: collect(index)
            case .wanted(let wanted): members[index].collector?.wanted(wanted)
            case .reported(let radio, let report): receive(report, by: radio, at: index)
            case .restart: members[index].restartedAt = now
            case .takeOver: run(index) { core, _ in core.tookOver() }
            case .happened, .answer, .note, .recovered, .radioLost, .radioRemoved, .removeExcludedRadios,
                .definitions, .memoryChanged:
                break
            }
        }
        // The hub of events records behind the outputs that are on their way.
        for (region, news) in unrecorded { run(index) { $0.recorded(news, of: region, at: $1.instant) } }
    }

    private mutating func publish(_ publication: MQTTPublication, of index: Int) {
        let (topic, payload) = (publication.topic, publication.payload)
        if publication.isRetained {
            // The session publishes a value again only where it is another one.
            let old = members[index].values.updateValue(payload, forKey: topic)
            if payload.isEmpty { members[index].values[topic] = nil }
            if publication.isRefreshed { members[index].refreshed.insert(topic) }
            guard old != payload else { return }
        }
        guard members[index].isConnected else { return }
        publish(topic, payload, isRetained: publication.isRetained)
        guard !publication.isRetained, publication.quality == .atLeastOnce else { return }
        run(index) { core, _ in core.acknowledged(publication) }
    }

    /// Takes what a receiver's own radio has received.
    private mutating func collect(_ index: Int) {
        guard let collector = members[index].collector else { return }
        let instant = Instant(nanoseconds: now)
        guard members[index].core.ownReports.isIdleMessageDue(at: now) || collector.isAwaited(at: instant) else {
            return
        }
        let message = collector.take(at: instant, listened: .nanoseconds(now / 2))
        run(index) { $0.heardCollected(message, at: $1.instant) }
    }

    /// The engine of a hub finds the regions of the beacons that a radio has received.
    private mutating func receive(_ report: RadioReport, by radio: String, at index: Int) {
        for reception in report.receptions.prefix(8) {
            guard case .beacon(let beacon, _) = reception.sender, beacon.uuid == Member.uuid, let rssi = reception.rssi,
                case let position = Int(beacon.major) - 1, Member.regions.indices.contains(position)
            else { continue }
            run(index) { core, now in
                core.heard(by: radio, Member.regions[position], from: UInt64(beacon.minor), rssi: rssi, at: now)
            }
        }
    }
}
