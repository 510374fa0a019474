import FoundationEssentials
import OkaeriFuzzSupport
import OkaeriEvents
import OkaeriMQTT
import OkaeriPlumbing
import OkaeriPresence
import OkaeriRooms
import RegionMonitoring

@testable import OkaeriHouse

/// The rules for all that a node publishes, subscribes to and reports.
extension Member {
    private var topics: Topics { core.topics }
    private func watches(_ level: String) -> Bool { core.identifiers[level] != nil }
    /// Whether this node may publish for the house.
    private var isHub: Bool { wasHolding || core.isHolding }

    func check(_ output: BrokerCore.Output, at now: Moment) {
        switch output {
        case .publish(let publication): check(publication)
        case .repeat(let topic), .release(let topic):
            require(isOurs(topic) || values[topic] != nil, "another node's topic is published again: \(topic)")
        case .subscribe(let filter), .subscribeToOthers(let filter), .unsubscribe(let filter):
            require(
                filter.hasPrefix("\(topics.root)/") || filter.hasPrefix("\(Site.discovery)/"),
                "a foreign subscription: \(filter)")
        case .announce, .subscribeAgain, .measureBatteries, .removeExcludedRadios: break
        case .note(let message), .recovered(let message):
            require(message.isPlainName && message.utf8.count <= 1000, "a message for the log without a bound")
        case .happened(let kind, let time):
            require(time == now.wall, "the house's events have another time")
            check(kind)
        case .answer(let prompt, let answer):
            require(core.prompt.id == prompt, "an answer to what is not asked")
            require(answer.utf8.count <= Wire.largestPayload, "an answer without bound")
        case .collectHeard: require(core.isOnline, "a node reports before it is online")
        case .wanted(let wanted): require(wanted?.beacons.count ?? 0 <= 4000, "wanted beacons without bound")
        case .takeOver(let states):
            require(core.isHub && states.keys.allSatisfy { core.positions[$0] != nil }, "states of other regions")
        case .definitions: require(false, "a node that is not a standby receives definitions")
        case .reported(let radio, let report): check(report, of: radio, at: now.instant)
        case .radioLost(let radio):
            require(core.isHub && core.radios[radio]?.isAway ?? true, "a radio is lost that reports")
        case .radioRemoved(let radio): require(core.isHub && core.radios[radio] == nil, "a radio is removed and kept")
        case .memoryChanged: require(core.hasEngine, "the memory of a node without an engine changes")
        case .restart:
            let passed = restartedAt.map { now.instant - $0 }
            require(passed.map { $0 >= 60_000_000_000 } ?? true, "a client restarts the daemon more than once a minute")
        }
    }

    /// A house's event concerns a known region, and its room is safe to show.
    private func check(_ kind: Event.Kind) {
        guard case .house(let region, let house) = kind else {
            return require(false, "an event that is not the house's")
        }
        if core.isHub {
            require(core.positions[region] != nil, "an event of a region that is not configured")
            require(wasDeciding || core.election.isDeciding, "an event beside the hub of the site")
        } else {
            require(region.isPlainName && region.utf8.count <= 256, "a region's name that is not safe to show")
        }
        let room: String?
        switch house {
        case .didEnterRegion(let name, let isOwner):
            require(isOwner == core.isHub, "a receiver decides, or a hub does not")
            room = name
        case .didExitRegion(let isOwner):
            require(isOwner == core.isHub, "a receiver decides, or a hub does not")
            room = nil
        case .didDetermineRoom(let name): room = name
        case .didDetermineState: room = nil
        }
        require(room.map { Wire.name($0) == $0 } ?? true, "the name of a room that is not safe to show")
    }

    /// A report is about the past, and its receptions lie within its time.
    private func check(_ report: RadioReport, of radio: String, at now: Int64) {
        require(
            core.isHub && radio != core.node && TopicName.isLevel(radio), "a report of what is not a radio: \(radio)")
        require(core.nodes.isOnline(radio), "a report of a radio that is offline")
        let (from, until) = (report.from.nanoseconds, report.until.nanoseconds)
        require(from <= until && until <= now, "a report that ends before its begin, or in the future")
        require(until.subtractingClamped(from) <= 60_000_000_000, "a report of a long time")
        require(0...1 ~= report.share && 0...10_000 ~= report.others, "a part of the time that is not one")
        require(report.receptions.count <= HeardMessage.receptionLimit, "receptions without bound")
        var last = from
        for reception in report.receptions {
            let time = reception.time.nanoseconds
            require(last <= time && time <= until, "a reception out of the time of its report, or out of order")
            require(reception.rssi.map { $0 <= 20 } ?? true, "a signal that no controller measures")
            last = time
        }
    }

    // MARK: Publications

    private func check(_ publication: MQTTPublication) {
        let topic = publication.topic
        require(publication.payload.count <= Wire.largestPayload, "no node reads so much: \(topic)")
        require(String(validating: publication.payload, as: UTF8.self) != nil, "a payload that is not UTF-8")
        let isEvent = ["/event", "/ranging", "/heard"].contains { topic.hasSuffix($0) }
        require(publication.isRetained != isEvent, "an event is retained, or a value is not: \(topic)")
        if topic.hasPrefix("\(Site.discovery)/") { return checkDiscovery(topic, publication.payload) }
        if publication.payload.isEmpty { return checkClearing(topic) }
        if let subject = topics.subject(of: topic) { return check(subject, publication.payload, topic) }
        switch topic {
        case topics.house:
            require(isHub, "a node that is not the hub publishes the house")
            requireMembers(["online", "hub", "presence", "inside", "rooms"], publication.payload)
        case topics.prompt(core.node): requireMembers(["id", "ssid", "region"], publication.payload)
        case topics.promptEvent(core.node): requireMembers(["event_type", "id", "ssid"], publication.payload)
        case _ where isRanging(topic):
            require(isHub, "a node that is not the hub publishes distances")
            requireMembers(["rssi", "accuracy", "proximity"], publication.payload)
        default: require(false, "a topic that the contract does not name: \(topic)")
        }
    }

    /// A hub publishes the distances from each radio.
    private func isRanging(_ topic: String) -> Bool {
        guard topic.hasSuffix("/ranging"), case .observation? = topics.subject(of: String(topic.dropLast(8))) else {
            return false
        }
        return true
    }

    /// Checks that another node of the house reads what was written.
    private func check(_ subject: Topics.Subject, _ payload: [UInt8], _ topic: String) {
        let again: String?
        switch subject {
        case .status(let node):
            require(
                payload == Array((node == core.node ? Wire.online : Wire.offline).utf8), "a wrong status of \(node)")
            require(node == core.node || isHub, "a node that is not the hub publishes the status of \(node)")
            return
        case .scanner(let node):
            require(node == core.node, "another node's scanner is published")
            again = Scanner(payload)?.payload
        case .about(let node):
            require(node == core.node, "another node's card is published")
            again = NodeCard(payload)?.payload
        case .heard(let node):
            require(node == core.node && isConnected, "receptions of another node are published")
            again = heard(payload)
        case .hub:
            let claim = HubClaim(payload)
            require(core.isHub && claim == core.election.own, "another hub's claim is published")
            again = claim?.payload
        case .wanted:
            require(isHub || core.election.state == .proving, "a node that is not the hub wants beacons")
            again = WantedBeacons(payload)?.payload
        case .regions:
            require(isHub, "a node that is not the hub defines regions")
            return requireMembers(["regions"], payload)
        case .region(let level):
            again = region(payload, level)
        case .event(let level):
            // Without a connection the client keeps it for a minute.
            require(watches(level) && (wasDeciding || core.election.isDeciding), "an event of what is not decided here")
            requireMembers(["event_type", "room", "time", "id"], payload)
            again = Wire.event(payload).map(Wire.event)
        case .battery(let level):
            require(isHub && watches(level), "the battery level of a region that is not configured")
            return requireMembers(["percent", "low", "time", "source", "major", "minor"], payload)
        case .observation, .promptAnswer, .restart: again = nil
        }
        let isSame = again.map { Array($0.utf8) == payload } ?? false
        require(isSame, "\(topic) is not read as it was written: \(String(decoding: payload, as: UTF8.self))")
    }

    private func heard(_ payload: [UInt8]) -> String? {
        requireMembers(["n", "t", "d", "o", "r", "b"], payload)
        let message = HeardMessage(payload)
        let count = message?.entries.reduce(0) { $0 + $1.samples.count } ?? 0
        require(count <= HeardMessage.receptionLimit, "a message of too many receptions")
        require(message.map { 0...1 ~= $0.share } ?? false, "a part of the time that is not one")
        return message?.payload
    }

    private func region(_ payload: [UInt8], _ level: String) -> String? {
        require(isHub && watches(level), "the state of a region that is not decided here")
        requireMembers(["state", "room", "since", "beacon", "last", "name", "number", "node"], payload)
        let state = Wire.region(payload)
        require(state?.identifier == core.identifiers[level], "a region has the name of another one")
        require(state?.room.map { Wire.name($0) == $0 } ?? true, "the name of a room that is not safe to show")
        let region = core.identifiers[level].flatMap { core.positions[$0] }.map { core.regions[$0].region.region }
        return state.map { Wire.region($0, region?.constraint) }
    }

    /// A node clears the topics of a node that was forgotten and what an earlier version published; the hub clears those of regions that
    /// are not configured, and of batteries without a level.
    private func checkClearing(_ topic: String) {
        switch topics.subject(of: topic) {
        case .status(let node)?, .about(let node)?, .scanner(let node)?:
            require(node != core.node, "a node clears what it publishes about itself")
        case .observation?: break
        case .region(let level)?: require(isHub && !watches(level), "a region's state is cleared")
        case .battery?: require(isHub, "a node that is not the hub clears a battery level")
        case .event?, .promptAnswer?, .heard?, .hub?, .wanted?, .regions?, .restart?:
            require(false, "\(topic) is not a value that can be cleared")
        case nil:
            let isPrompt = topic.hasPrefix("\(topics.root)/node/") && topic.hasSuffix("/prompt")
            require(isPrompt && topic != topics.prompt(core.node), "a foreign topic is cleared: \(topic)")
        }
    }

    private func checkDiscovery(_ topic: String, _ payload: [UInt8]) {
        guard let subject = core.discovery?.subject(of: topic) else {
            return require(false, "a device that is not ours: \(topic)")
        }
        if payload.isEmpty { return }
        // Those of a crowd differ in the number of rooms alone, and take long to read.
        if payload.count < 1 << 14 { requireMembers(["dev", "o", "cmps"], payload) }
        func watches(_ part: String) -> Bool { core.identifiers.keys.contains { TopicName($0).part == part } }
        switch subject {
        case .node(let node): require(node == TopicName(core.node).part, "another node is announced")
        case .hub: require(isHub, "a node that is not the hub announces the house")
        case .receiver: require(isHub, "a node that is not the hub announces a receiver")
        case .region(let region): require(isHub && watches(region), "a region is announced that is not configured")
        case .part(let region, _):
            require(isHub && watches(region), "a part of a region is announced that is not configured")
        }
    }

    /// Whether this node may have published a value of the topic.
    private func isOurs(_ topic: String) -> Bool {
        if topic == topics.house || core.discovery?.subject(of: topic) != nil || topic == topics.prompt(core.node) {
            return true
        }
        return switch topics.subject(of: topic) {
        case .status?: true
        // Of an event, the messages that wait are released.
        case .hub?, .wanted?, .regions?, .region?, .battery?, .event?: core.isHub
        case .scanner(let node)?, .about(let node)?: node == core.node
        case .observation?, .heard?, .promptAnswer?, .restart?, nil: false
        }
    }

    private func requireMembers(_ keys: Set<String>, _ payload: [UInt8]) {
        struct Anything: Decodable { init(from decoder: any Decoder) {} }
        let object = try? JSONDecoder().decode([String: Anything?].self, from: Data(payload))
        require(object.map { keys.isSubset(of: $0.keys) } ?? false, "a payload without its members: \(payload)")
    }

    // MARK: State

    /// The memory of a node is bounded whatever others publish.
    func checkBounds() {
        let (limit, topicLimit) = (HouseNodes.limit, BrokerCore.topicLimit + Self.regions.count)
        require(core.nodes.all.count <= limit && core.radios.names.count <= limit, "nodes or radios without bound")
        require(core.publishedRegions.count <= 1024 && core.lastEvent.count <= 1024, "regions of the hub without bound")
        require(
            core.remains.topics.count <= topicLimit && core.remains.strangers.count <= topicLimit,
            "topics without bound")
        require(core.batteries.levels.count <= topicLimit && core.parts.count <= topicLimit, "topics without bound")
        require(core.announced?.house?.rooms.count ?? 0 <= 64, "rooms without bound")
        require(core.states.count <= core.regions.count, "states of regions that are not configured")
        require(core.announcements.waiting.allSatisfy { 1...128 ~= $0.value.count }, "events that wait without bound")
        require(values.count <= topicLimit, "values without bound")
    }

    /// Checks that the reports about the house are safe to show.
    func checkReports(at now: Int64) {
        for node in core.nodeReports(at: now, ownShare: 1) {
            require(TopicName.isLevel(node.name), "a node's name that is not one")
            require(node.room.map { Wire.name($0) == $0 } ?? true, "a room that is not safe to show")
            for text in [node.reason, node.adapter, node.version, node.since] {
                require(text?.isPlainName ?? true, "a text that is not safe to show")
            }
            guard let radio = node.radio else { continue }
            require(radio.rate >= 0 && radio.rate.isFinite && radio.age >= 0, "the rate or the age of a radio")
            require(0...1 ~= radio.share, "a part of the time that is not one")
        }
        require(core.hubName.map(TopicName.isLevel) ?? true, "a hub that is not a node")
        require(core.conflict?.isPlainName ?? true, "a sentence that is not safe to show")
        for level in core.publishedRegions.keys.sorted() + Self.regions {
            guard let value = core.publishedRegion(level) else { continue }
            require(value.identifier.isPlainName, "a region's name that is not safe to show")
            require(value.room.map { Wire.name($0) == $0 } ?? true, "a room that is not safe to show")
        }
    }
}
