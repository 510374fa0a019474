import Agreement
import HomeAssistant
import MQTT
import Plumbing

/// What Home Assistant is told.
extension BrokerCore {
    /// What was announced last, and for whom.
    struct Announced: Hashable, Sendable {
        var nodes: [String]
        /// The levels of the regions that this node announces for the house.
        var regions: [String]
        var isHub: Bool
    }

    /// How long the broker is given to deliver what was announced before.
    private static let lookingFor: Int64 = 10_000_000_000

    /// More devices than this are not cleared up at once.
    private static let mostFound = 20_000

    /// Announces what is ours, where that is another than before.
    mutating func announcements(at now: Int64) -> [Output] {
        var outputs = hubMoved(at: now)
        guard let discovery, isConnected else { return outputs }
        let wanted = Announced(
            nodes: statuses.keys.sorted(), regions: levels.filter { house.announcer(of: $0) == node },
            isHub: house.isHub)
        guard wanted != announced else { return outputs }
        let old = announced
        announced = wanted
        if wanted.isHub {
            outputs.append(announce(discovery.hub(nodes: wanted.nodes)))
        } else if old?.isHub == true {
            outputs.append(.release(topic: discovery.hub(nodes: []).topic))
        }
        if old == nil { outputs.append(announce(discovery.node(node))) }
        for level in wanted.regions {
            outputs.append(announce(discovery.region(regions[level] ?? level, nodes: wanted.nodes)))
        }
        for level in old?.regions ?? [] where !wanted.regions.contains(level) {
            outputs.append(.release(topic: discovery.region(level, nodes: []).topic))
        }
        if old == nil {
            outputs += levels.map { announce(discovery.part(region: regions[$0] ?? $0, node: node)) }
        }
        return outputs
    }

    /// Another node counts the house from now on, or this one does.
    mutating func hubMoved(at now: Int64) -> [Output] {
        guard wasHub != house.isHub else { return [] }
        wasHub = house.isHub
        return wasHub ? remainsLookedFor(at: now) : [.release(topic: topics.house)]
    }

    private func announce(_ announcement: Discovery.Announcement) -> Output {
        .publish(.value(announcement.topic, announcement.payload.utf8))
    }

    /// Looks for what was published before: a region may have been removed while the daemon was off. Each node looks through its
    /// own sights, and one through the devices of all, which are as many as nodes times regions.
    mutating func remainsLookedFor(at now: Int64) -> [Output] {
        if looksUntil == nil { found = [] }
        looksUntil = now.addingClamped(Self.lookingFor)
        let devices = house.isHub ? discovery?.everyDevice : nil
        return devices.map { [.subscribe($0)] } ?? []
    }

    /// Something retained of a region that is not watched here.
    mutating func remains(_ message: MQTTMessage) -> [Output] {
        if looksUntil != nil, !message.payload.isEmpty, found.count < Self.mostFound { found.insert(message.topic) }
        return []
    }

    /// The house's state of a region that is not watched here.
    mutating func stateReceived(ofStranger level: String, _ message: MQTTMessage) -> [Output] {
        if message.payload.isEmpty {
            strangers.remove(level)
        } else if strangers.count < Self.mostFound {
            strangers.insert(level)
        }
        return []
    }

    /// What is none of the contract's topics: a device that was announced, or Home Assistant's start.
    mutating func foreign(_ message: MQTTMessage, at now: Int64) -> [Output] {
        if message.topic == topics.prompt(node) {
            if !message.isRetained, message.payload != promptValue.payload { repeats.want(message.topic, at: now) }
            return []
        }
        guard let discovery else { return [] }
        if message.topic == "\(discovery.prefix)/status" {
            return message.payload == Array(Wire.online.utf8) && !message.isRetained ? [.announce] : []
        }
        return discovery.subject(of: message.topic) == nil ? [] : remains(message)
    }

    /// Takes away what is no longer: this node's own sights, and for the house what nobody watches.
    mutating func lookedThrough(at now: Int64) -> [Output] {
        looksUntil = nil
        let stale = found.filter { topic in
            guard case .sight(let level, node)? = topics.subject(of: topic) else { return false }
            return regions[level] == nil
        }
        let gone = stale.union(house.isHub ? staleOfHouse : [])
        found = []
        return (discovery.map { [.unsubscribe($0.everyDevice)] } ?? []) + gone.sorted().map { .publish(.clearing($0)) }
    }

    /// The topics of regions that nobody watches, and of parts whose node watches the region no more.
    private var staleOfHouse: Set<String> {
        var watched = cards.all.mapValues { Set($0.regions) }
        watched[node] = Set(levels)
        let all = watched.values.reduce(into: Set()) { $0.formUnion($1) }
        let parts = Dictionary(all.map { ($0, TopicName($0).part) }, uniquingKeysWith: { first, _ in first })
        let regions = Set(parts.values)
        let ofNode = Dictionary(
            watched.map { (TopicName($0).part, Set($1.compactMap { parts[$0] })) }, uniquingKeysWith: { $0.union($1) })
        let devices = found.filter { topic in
            switch discovery?.subject(of: topic) {
            case .part(let region, let node): !(ofNode[node] ?? regions).contains(region)
            case .region(let region): !regions.contains(region)
            case .hub, .node, nil: false
            }
        }
        return devices.union(strangers.subtracting(all).map { topics.region(name($0)) })
    }
}
