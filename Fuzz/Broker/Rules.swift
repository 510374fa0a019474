@testable import Agreement
@testable import House
import Events
import FoundationEssentials
import FuzzSupport
import MQTT
import Plumbing

/// The rules for all that a node publishes, subscribes to and reports.
extension Member {
    private var topics: Topics { core.topics }
    private func watches(_ level: String) -> Bool { core.regions[level] != nil }

    func check(_ output: BrokerCore.Output, at now: Moment) {
        switch output {
        case .publish(let publication): check(publication)
        case .repeat(let topic), .release(let topic):
            require(isOurs(topic) || values[topic] != nil, "another node's topic is published again: \(topic)")
        case .subscribe(let filter), .unsubscribe(let filter):
            require(
                filter.hasPrefix("\(topics.root)/") || filter.hasPrefix("\(Site.discovery)/"),
                "a foreign subscription: \(filter)")
        case .announce, .subscribeAgain, .surveyed, .measureBatteries: break
        case .note(let message):
            require(message.isPlainName && message.utf8.count <= 1000, "a message for the log without a bound")
        case .happened(let kind, let time):
            require(time == now.wall, "the house's events have another time")
            check(kind)
        case .answer(let prompt, let word):
            require(core.prompt?.id == prompt, "an answer to what is not asked")
            require(word.utf8.count <= Wire.largestPayload, "an answer without bound")
        }
    }

    /// A house's event concerns a configured region, and its room is safe to show.
    private func check(_ kind: Event.Kind) {
        guard case .house(let region, let house) = kind else {
            return require(false, "an event that is not the house's")
        }
        require(core.levelOf[region] != nil, "an event of a region that is not configured")
        let room: String? =
            switch house {
            case .didEnterRegion(let room, _), .didDetermineRoom(let room): room
            case .didExitRegion, .didDetermineState: nil
            }
        require(room.map { Wire.name($0) == $0 } ?? true, "the name of a room that is not safe to show")
    }

    private func check(_ publication: MQTTPublication) {
        let topic = publication.topic
        require(
            publication.payload.count <= Wire.largestPayload || topic.hasPrefix(Site.discovery),
            "no node reads so much: \(topic)")
        require(String(validating: publication.payload, as: UTF8.self) != nil, "a payload that is no UTF-8")
        let isEvent = topic.hasSuffix("/event") || topic.hasSuffix("/ranging")
        require(publication.isRetained != isEvent, "an event is retained, or a value is not: \(topic)")
        if topic.hasPrefix("\(Site.discovery)/") { return checkDiscovery(topic, publication.payload) }
        if publication.payload.isEmpty { return checkClearing(topic) }
        if let subject = topics.subject(of: topic) { return check(subject, publication.payload, topic) }
        switch topic {
        case topics.house: requireMembers(["online", "leader"], publication.payload)
        case topics.prompt(core.node): requireMembers(["id", "ssid", "region"], publication.payload)
        case topics.promptEvent(core.node): requireMembers(["event_type", "id", "ssid"], publication.payload)
        case _ where topic.hasSuffix("/ranging") && topic.hasPrefix(topics.everyObservation(by: core.node).dropLast()):
            requireMembers(["rssi", "accuracy", "proximity"], publication.payload)
        default: require(false, "a topic that the contract does not name: \(topic)")
        }
    }

    /// Checks that another node of the house reads what was written.
    private func check(_ subject: Topics.Subject, _ payload: [UInt8], _ topic: String) {
        let again: String?
        switch subject {
        case .status(let node):
            require(
                payload == Array((node == core.node ? Wire.online : Wire.offline).utf8), "a wrong status of \(node)")
            return
        case .scanner(let node):
            require(node == core.node, "another node's scanner is published")
            again = Scanner(payload)?.payload
        case .about(let node):
            require(node == core.node, "another node's card is published")
            again = NodeCard(payload, like: core.list)?.payload(core.list)
        case .observation(let level, let node):
            require(node == core.node && watches(level), "another node's observation is published")
            again = Wire.observation(payload).map(Wire.observation)
        case .region(let level):
            require(isConnected && watches(level), "the state of a region that is not configured")
            let state = Wire.region(payload)
            require(state?.hearing.count ?? 0 <= HouseReplica.nodeLimit, "more nodes hear the beacon than there can be")
            require(state?.room.map { Wire.name($0) == $0 } ?? true, "the name of a room that is not safe to show")
            again = state.map { Wire.region($0, of: core.described[level]) }
        case .event(let level):
            // Without a connection the client keeps it for a minute.
            require(watches(level), "an event of a region that is not configured")
            again = Wire.event(payload).map(Wire.event)
        case .battery(let level):
            require(isConnected && watches(level), "the battery level of a region that is not configured")
            again = Wire.battery(payload).map(Wire.battery)
        case .promptAnswer: again = nil
        }
        let isSame = again.map { Array($0.utf8) == payload } ?? false
        require(isSame, "\(topic) is not read as it was written: \(String(decoding: payload, as: UTF8.self))")
    }

    /// A node clears its own topics; those of a node that was forgotten; and as the hub those of regions that no node watches.
    private func checkClearing(_ topic: String) {
        switch topics.subject(of: topic) {
        case .status(let node)?, .about(let node)?:
            require(node != core.node, "a node clears what it says of itself")
        case .scanner?, .observation?: break
        case .region(let level)?, .battery(let level)?: require(!watches(level), "a region's state is cleared")
        case .event?, .promptAnswer?: require(false, "\(topic) is no value that can be cleared")
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
        // Those of a crowd differ in the number of nodes alone, and take long to read.
        if payload.count < 1 << 14 { requireMembers(["dev", "o", "cmps"], payload) }
        func watches(_ part: String) -> Bool { core.levels.contains { TopicName($0).part == part } }
        switch subject {
        case .hub: break
        case .node(let node): require(node == TopicName(core.node).part, "another node is announced")
        case .region(let region): require(watches(region), "a region is announced that is not configured")
        case .part(let region, let node):
            require(
                node == TopicName(core.node).part && watches(region), "another node's part of a region is announced")
        }
    }

    /// Whether this node may have published a value of the topic.
    private func isOurs(_ topic: String) -> Bool {
        if topic == topics.house || core.discovery?.subject(of: topic) != nil { return true }
        return switch topics.subject(of: topic) {
        case .status?, .region?, .battery?: true
        case .observation(_, let node)?, .scanner(let node)?, .about(let node)?: node == core.node
        case .event?, .promptAnswer?, nil: false
        }
    }

    private func requireMembers(_ keys: Set<String>, _ payload: [UInt8]) {
        struct Anything: Decodable { init(from decoder: any Decoder) {} }
        let object = try? JSONDecoder().decode([String: Anything?].self, from: Data(payload))
        require(object.map { keys.isSubset(of: $0.keys) } ?? false, "a payload without its members: \(payload)")
    }

    /// The memory of a node is bounded whatever others publish.
    func checkBounds() {
        let limit = HouseReplica.nodeLimit
        require(core.statuses.count <= limit && core.scanners.count <= limit, "statuses without bound")
        require(core.cards.all.count <= limit + 1 && core.house.nodes.count <= limit + 1, "nodes without bound")
        require(core.found.count <= 20_000 && core.strangers.count <= 20_000, "topics without bound")
        for region in core.house.regions {
            guard let state = region.observed else { continue }
            require(state.entries.count <= limit + 1, "observations without bound")
            require(state.holders.count <= 2 * limit + 2, "nodes that are waited for without bound")
        }
    }

    /// Checks that the nodes' list is safe to show.
    func checkNodes(at now: Int64) {
        for node in core.nodes(at: now) {
            require(TopicName.isLevel(node.name), "a node's name that is none")
            require(node.room.map { Wire.name($0) == $0 } ?? true, "a room that is not safe to show")
            for text in [node.reason, node.adapter, node.version, node.since] {
                require(text?.isPlainName ?? true, "a text that is not safe to show")
            }
        }
        for region in Self.regions {
            let (state, owner) = core.agreed(on: region)
            require(state?.room.map { Wire.name($0) == $0 } ?? true, "a room that is not safe to show")
            require(owner.map(TopicName.isLevel) ?? true, "an owner that is no node")
        }
    }
}
