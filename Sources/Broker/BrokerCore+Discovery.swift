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
        guard let discovery, isConnected else { return [] }
        let wanted = Announced(
            nodes: statuses.keys.sorted(), regions: levels.filter { house.owner(of: $0) == node }, isHub: house.isHub)
        guard wanted != announced else { return [] }
        let old = announced
        announced = wanted
        var outputs: [Output] = []
        if wanted.isHub {
            outputs.append(announce(discovery.hub(nodes: wanted.nodes)))
        } else if old?.isHub == true {
            outputs += [.release(topic: discovery.hub(nodes: []).topic), .release(topic: topics.house)]
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

    private func announce(_ announcement: Discovery.Announcement) -> Output {
        .publish(.value(announcement.topic, announcement.payload.utf8))
    }

    /// Where that of before is looked for.
    private var everything: [String] {
        [topics.everySightOf(node), topics.everyRegion] + (discovery.map { [$0.everyDevice] } ?? [])
    }

    /// Looks for what was published before: a region may have been removed while the daemon was off.
    mutating func lookForRemains(at now: Int64) -> [Output] {
        looksUntil = now.addingClamped(Self.lookingFor)
        found = []
        return everything.map { .subscribe($0) }
    }

    /// Something retained of a region that is not watched here.
    mutating func remains(_ message: MQTTMessage) -> [Output] {
        if looksUntil != nil, !message.payload.isEmpty, found.count < Self.mostFound { found.insert(message.topic) }
        return []
    }

    /// What is none of the contract's topics: a device that was announced, or Home Assistant's start.
    mutating func foreign(_ message: MQTTMessage) -> [Output] {
        guard let discovery else { return [] }
        if message.topic == "\(discovery.prefix)/status" {
            return message.payload == Array(Wire.online.utf8) && !message.isRetained ? [.announce] : []
        }
        return discovery.subject(of: message.topic) == nil ? [] : remains(message)
    }

    /// Takes away what is no longer: this node's own words, and as the house's, regions that nobody watches.
    mutating func lookedThrough(at now: Int64) -> [Output] {
        looksUntil = nil
        let me = TopicName(node).part
        let mine = Set(levels)
        let watched = mine.union(cards.values.flatMap(\.regions))
        let (myParts, parts) = (Set(mine.map { TopicName($0).part }), Set(watched.map { TopicName($0).part }))
        let isHub = house.isHub
        let stale = found.filter { topic in
            switch topics.subject(of: topic) {
            case .sight(let level, node): return !mine.contains(level)
            case .region(let level): return isHub && !watched.contains(level)
            default: break
            }
            return switch discovery?.subject(of: topic) {
            case .part(let region, me): !myParts.contains(region)
            case .part(let region, _), .region(let region): isHub && !parts.contains(region)
            case .hub, .node, nil: false
            }
        }
        found = []
        return everything.map { .unsubscribe($0) } + stale.sorted().map { .publish(.clearing($0)) }
    }
}
