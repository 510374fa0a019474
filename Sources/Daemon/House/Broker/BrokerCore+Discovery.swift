import OkaeriEvents
import OkaeriMQTT
import OkaeriPlumbing
import RegionMonitoring

/// The devices that are announced to Home Assistant.
extension BrokerCore {
    /// The devices that this node announces.
    struct Announced: Hashable, Sendable {
        /// The devices of the house; `nil` at a node that does not decide for it.
        var house: House?

        struct House: Hashable, Sendable {
            /// The nodes whose status is the availability: while the hub is away, what it decided is not known to be true.
            var nodes: [String]
            /// The identifiers of the regions, and those of them whose battery level is known.
            var regions: [String]
            var batteries: Set<String>
            /// The rooms of the nodes, whose regions are counted.
            var rooms: [String]
        }
    }

    /// The maximum number of topics that are deleted at once, and of parts.
    static let topicLimit = 20_000

    /// The maximum number of rooms whose regions are counted: any client of the broker can describe nodes.
    private static let roomLimit = 64

    /// The rooms of the nodes, in order.
    private var rooms: [String] {
        let all =
            nodes.all.values.compactMap { $0.card?.room } + [settings.room].compactMap(\.self)
            + receivers.all.values.compactMap(\.place.room)
        return Array(Set(all).sorted().prefix(Self.roomLimit))
    }

    /// The topics of the devices that this node has announced for the house.
    var announcedTopics: [String] {
        guard let discovery, let house = announced?.house else { return [] }
        return [discovery.hub(nodes: []).topic] + house.regions.map { discovery.region($0, nodes: []).topic }
            + parts.map { discovery.part(region: $0.region, node: $0.radio).topic }.sorted()
    }

    /// Publishes the devices that this node announces if they have changed.
    mutating func devicesChanged(at now: Int64) -> [Output] {
        guard discovery != nil, isConnected, delivery.isSettled else { return [] }
        let names = EntityNames(
            regions: regions.map(\.identifier), nodes: nodes.all.keys.sorted() + receivers.names,
            rooms: rooms)
        self.discovery?.names = names
        guard let discovery else { return [] }
        let identifiers = regions.map(\.identifier)
        let wanted = Announced(
            house: isHolding
                ? .init(
                    nodes: [node], regions: identifiers,
                    batteries: batteries.regions, rooms: rooms) : nil)
        let old = announced
        guard wanted != old else { return [] }
        announced = wanted
        var outputs: [Output] = []
        if let house = wanted.house {
            // Only a hub has counted rooms.
            let device = discovery.hub(
                nodes: house.nodes, rooms: house.rooms, formerRooms: old?.house?.rooms ?? [], page: settings.page)
            outputs.append(announce(device))
            for identifier in house.regions {
                outputs.append(
                    announce(
                        discovery.region(
                            identifier, nodes: house.nodes, hasBattery: house.batteries.contains(identifier))))
            }
        }
        if old == nil {
            outputs.append(
                announce(discovery.node(node, room: settings.room, page: settings.page, restarts: settings.restarts)))
        }
        return outputs
    }

    /// Announces the distance of a region's beacon from a radio, when it is first known.
    mutating func partFound(_ part: DistanceTopics.Part) -> [Output] {
        guard let discovery, isHolding, parts.count < Self.topicLimit, parts.insert(part).inserted else { return [] }
        let isReceiver = receivers[part.radio] != nil
        return [announce(discovery.part(region: part.region, node: part.radio, isReceiver: isReceiver))]
    }

    /// Publishes the distance of the strongest beacon of each region that is inside, from each radio that receives it.
    ///
    /// - Parameter beacons: The beacons received of late, with their receptions by each radio.
    mutating func measured(_ beacons: [RegionMonitor.BeaconSnapshot], at now: Int64) -> [Output] {
        let inside = Set(states.filter { $0.value.state == .inside }.keys)
        distances.planned(isAnyInside: !inside.isEmpty, at: now)
        guard isHolding else { return [] }
        return distances.measured(beacons, inside: inside, node: node, at: now).flatMap { part, reception in
            (reception == nil ? [] : partFound(part))
                + [.publish(DistanceTopics.message(part, reception, topics))]
        }
    }

    /// Publishes the battery levels that have changed.
    ///
    /// - Parameter own: The levels, by the region's identifier.
    mutating func batteriesMeasured(_ own: [String: BatteryReport], at now: Moment) -> [Output] {
        guard isHolding else { return [] }
        return batteries.measured(own, of: regions, topics, deletes: isHub) + devicesChanged(at: now.instant)
    }

    func announce(_ announcement: Discovery.Announcement) -> Output {
        .publish(.value(announcement.topic, announcement.payload.utf8))
    }

    /// Looks for retained topics of regions and nodes that were removed, perhaps while the daemon was off.
    mutating func remainsLookedFor(at now: Int64) -> [Output] {
        remains.searchBegan(at: now)
        return (isHolding ? discovery?.everyDevice : nil).map { [.subscribe($0)] } ?? []
    }

    /// Handles a retained topic that may be out of date.
    mutating func remainFound(_ message: MQTTMessage) -> [Output] {
        guard !message.payload.isEmpty else { return [] }
        // The observations of an earlier version, which no node publishes any more.
        if case .observation? = topics.subject(of: message.topic) { return [.publish(.clearing(message.topic))] }
        remains.found(message.topic)
        return []
    }

    /// Handles a message outside the house's topics, or on a topic that this node alone may write.
    mutating func foreign(_ message: MQTTMessage, at now: Int64) -> [Output] {
        if message.topic == topics.prompt(node) {
            if !message.isRetained, message.payload != prompt.value.payload { repeats.want(message.topic, at: now) }
            return []
        }
        if message.topic == topics.house {
            if !message.isRetained, isHolding, message.payload != houseValue { repeats.want(message.topic, at: now) }
            return []
        }
        guard let discovery else { return [] }
        if message.topic == "\(discovery.prefix)/status" {
            guard message.payload == Array(Wire.online.utf8), !message.isRetained else { return [] }
            // Home Assistant has started.
            distances.repeated()
            return [.announce]
        }
        return discovery.subject(of: message.topic) == nil ? [] : remainFound(message)
    }

    /// Deletes the states and devices of regions that this hub does not have, and the devices of nodes that are gone.
    mutating func remainsDeleted() -> [Output] {
        let found = remains.searchEnded()
        let gone = isHolding ? staleOfHouse(found) : []
        return (discovery.map { [.unsubscribe($0.everyDevice)] } ?? []) + gone.sorted().map { .publish(.clearing($0)) }
    }

    private func staleOfHouse(_ found: Set<String>) -> Set<String> {
        let levels = Set(regions.map(\.level))
        let parts = Set(levels.map { TopicName($0).part })
        let names = Set(receivers.names.map { TopicName($0).part })
        let known = Set(nodes.all.keys.map { TopicName($0).part }).union(names)
        let devices = found.filter { topic in
            switch discovery?.subject(of: topic) {
            case .part(let region, let node): !parts.contains(region) || !known.contains(node)
            case .region(let region): !parts.contains(region)
            case .receiver(let name): !names.contains(name)
            case .hub, .node, nil: false
            }
        }
        return devices.union(remains.strangers.subtracting(levels).map { topics.region(name($0)) })
            .union(batteries.levels.subtracting(levels).map { topics.battery(name($0)) })
    }
}

/// The part of a house that a node leaves for good.
package enum Departure: Sendable {
    /// The house: the node has another name from now on, or belongs to another house or to none.
    case house
    /// Home Assistant's discovery, or its prefix.
    case discovery
}

/// The end of this node's topics.
extension BrokerCore {
    /// Handles that this node leaves. The hub empties the topics of the house as well: no other node would.
    func left(_ departure: Departure) -> [Output] {
        guard isConnected else { return [] }
        var gone = announcedTopics + (isHolding ? receiverTopics : [])
        if let discovery { gone.append(discovery.node(node).topic) }
        if departure == .house {
            if isHolding {
                gone +=
                    regions.map { topics.region(name($0.level)) } + [
                        topics.house, topics.wanted, topics.regions, topics.hub,
                    ]
                gone += batteries.levels.sorted().map { topics.battery(name($0)) }
            }
            gone += [topics.scanner(node), topics.prompt(node), topics.about(node)]
        }
        return gone.map { .publish(.clearing($0)) }
    }
}
