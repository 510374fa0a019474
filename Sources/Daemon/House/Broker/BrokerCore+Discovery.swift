import Agreement
import Events
import MQTT
import Plumbing
import RegionMonitoring

/// The devices that are announced to Home Assistant.
extension BrokerCore {
    /// The devices that this node announces besides its own.
    struct Announced: Hashable, Sendable {
        /// The known nodes, which the availability lists contain.
        var nodes: [String]
        /// The levels of the regions that this node announces for the house.
        var regions: [String]
        /// Those of them whose battery level is known.
        var batteries: Set<String>
        /// The levels of the regions that this node watches.
        var parts: [String]
        var isHub: Bool
        /// The rooms of the nodes, whose regions are counted.
        var rooms: [String] = []
    }

    /// The time in which the broker delivers the devices that were announced before.
    private static let lookingFor: Int64 = 10_000_000_000

    /// The maximum number of topics that are deleted at once.
    static let topicLimit = 20_000

    /// Publishes the devices that this node announces if they have changed.
    mutating func announcements(at now: Int64) -> [Output] {
        var outputs = hubMoved(at: now)
        guard let discovery, isConnected else { return outputs }
        let own = levels.filter { house.announcer(of: $0) == node }
        let wanted = Announced(
            nodes: statuses.keys.sorted(), regions: own, batteries: Set(own.filter { batteries[$0] != nil }),
            parts: levels, isHub: house.isHub, rooms: house.isHub ? rooms : [])
        let old = announced
        guard wanted != old else { return outputs }
        announced = wanted
        if wanted.isHub {
            // Only a hub has counted rooms.
            let device = discovery.hub(nodes: wanted.nodes, rooms: wanted.rooms, formerRooms: old?.rooms ?? [])
            outputs.append(announce(device))
        } else if old?.isHub == true {
            outputs.append(.release(topic: discovery.hub(nodes: []).topic))
        }
        for level in wanted.regions {
            outputs.append(
                announce(
                    discovery.region(
                        regions[level] ?? level, nodes: wanted.nodes, hasBattery: wanted.batteries.contains(level))))
        }
        for level in old?.regions ?? [] where !wanted.regions.contains(level) {
            outputs.append(.release(topic: discovery.region(level, nodes: []).topic))
        }
        if old == nil { outputs.append(announce(discovery.node(node))) }
        let announcedParts = Set(old?.parts ?? [])
        for level in levels where !announcedParts.contains(level) {
            outputs.append(announce(discovery.part(region: regions[level] ?? level, node: node)))
        }
        return outputs
    }

    /// Handles that this node became the hub, or is it no longer.
    mutating func hubMoved(at now: Int64) -> [Output] {
        guard wasHub != house.isHub else { return [] }
        wasHub = house.isHub
        if !wasHub { (counted, houseValue) = (nil, []) }
        return wasHub ? remainsLookedFor(at: now) : [.release(topic: topics.house)]
    }

    /// The maximum number of rooms whose regions are counted: any client of the broker can describe nodes.
    private static let roomLimit = 64

    /// The rooms of the nodes, in order.
    private var rooms: [String] {
        Array(Set(cards.all.values.compactMap(\.room) + [room].compactMap(\.self)).sorted().prefix(Self.roomLimit))
    }

    /// As the hub, publishes the occupancy of the house if it has changed.
    mutating func occupancyDetermined() -> [Output] {
        guard house.isHub, let counted else { return [] }
        let states = levels.map { house.state(of: $0) }
        var rooms: [String: Int] = [:]
        for case .some(let state) in states where state.state == .inside {
            guard let room = state.room else { continue }
            rooms[TopicName(room).part, default: 0] += 1
        }
        let occupancy = Occupancy(states.map { $0?.state ?? .unknown })
        let value = Array(Wire.house(online: counted, leader: node, occupancy, rooms: rooms).utf8)
        guard value != houseValue else { return [] }
        houseValue = value
        return [.publish(.value(topics.house, value, isRefreshed: true))]
    }

    private func announce(_ announcement: Discovery.Announcement) -> Output {
        .publish(.value(announcement.topic, announcement.payload.utf8))
    }

    /// Looks for retained topics of regions that were removed, perhaps while the daemon was off. Each node looks at its own
    /// observations. Only the hub looks at the devices, whose number is that of nodes times regions.
    mutating func remainsLookedFor(at now: Int64) -> [Output] {
        if looksUntil == nil { found = [] }
        looksUntil = now.addingClamped(Self.lookingFor)
        return (house.isHub ? discovery?.everyDevice : nil).map { [.subscribe($0)] } ?? []
    }

    /// Handles a retained topic that may be out of date.
    mutating func remains(_ message: MQTTMessage) -> [Output] {
        if looksUntil != nil, !message.payload.isEmpty, found.count < Self.topicLimit { found.insert(message.topic) }
        return []
    }

    /// Handles the state of a region that is not configured here.
    mutating func stateReceived(ofStranger level: String, _ message: MQTTMessage) -> [Output] {
        if message.payload.isEmpty {
            strangers.remove(level)
        } else if strangers.count < Self.topicLimit {
            strangers.insert(level)
        }
        return []
    }

    /// Handles a message outside the house's topics, or on a topic that this node alone may write.
    mutating func foreign(_ message: MQTTMessage, at now: Int64) -> [Output] {
        if message.topic == topics.prompt(node) {
            if !message.isRetained, message.payload != promptValue.payload { repeats.want(message.topic, at: now) }
            return []
        }
        if message.topic == topics.house {
            if !message.isRetained, house.isHub, message.payload != houseValue { repeats.want(message.topic, at: now) }
            return []
        }
        guard let discovery else { return [] }
        if message.topic == "\(discovery.prefix)/status" {
            // Home Assistant has started.
            return message.payload == Array(Wire.online.utf8) && !message.isRetained ? [.announce] : []
        }
        return discovery.subject(of: message.topic) == nil ? [] : remains(message)
    }

    /// Deletes this node's observations of regions that it does not watch; as the hub, also the states and devices of regions
    /// that no node watches.
    mutating func remainsDeleted() -> [Output] {
        looksUntil = nil
        let stale = found.filter { topic in
            guard case .observation(let level, node)? = topics.subject(of: topic) else { return false }
            return regions[level] == nil
        }
        let gone = stale.union(house.isHub ? staleOfHouse : [])
        found = []
        return (discovery.map { [.unsubscribe($0.everyDevice)] } ?? []) + gone.sorted().map { .publish(.clearing($0)) }
    }

    private var staleOfHouse: Set<String> {
        // A node without a stored description may watch them.
        guard !cards.lacksSome else { return [] }
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
            .union(Set(batteries.keys).subtracting(all).map { topics.battery(name($0)) })
    }
}
