import Agreement
import Events
import HomeAssistant
import MQTT
import RegionMonitoring

/// The house: what others say, and what comes of it.
extension BrokerCore {
    /// The broker took this node in: all it keeps follows.
    mutating func connected(at now: Moment) -> [Output] {
        isConnected = true
        (statuses, cards, sights, announced) = ([:], [:], [:], nil)
        // First what this node sees: nobody is to be thought away.
        let outputs = published(plan.connected(at: now.instant)) + acted(house.connected(at: now), at: now)
        return outputs + lookForRemains(at: now.instant)
    }

    mutating func disconnected(at now: Moment) -> [Output] {
        guard isConnected else { return [] }
        isConnected = false
        looksUntil = nil
        return acted(house.disconnected(at: now), at: now)
    }

    /// Something was delivered.
    mutating func received(_ message: MQTTMessage, at now: Moment) -> [Output] {
        guard let subject = topics.subject(of: message.topic) else { return foreign(message) }
        let old = message.isRetained
        switch subject {
        case .status(let name): return statusReceived(message, from: name, at: now)
        case .about(let name):
            guard !message.payload.isEmpty else { return forgotten(name, at: now) }
            guard let card = NodeCard(message.payload), cards[name] != nil || cards.count < House.nodeLimit else {
                return []
            }
            let isLess = !Set(cards[name]?.regions ?? []).isSubset(of: card.regions)
            cards[name] = card
            var outputs = acted(
                house.nodeDescribed(node: name, room: card.room, regions: Set(card.regions), at: now), at: now)
            // It may have been the last one that watched a region.
            if isLess, house.isHub { outputs += lookForRemains(at: now.instant) }
            return outputs + announcements(at: now.instant)
        case .scanner(let name):
            guard let isScanning = Wire.isScanning(message.payload) else { return [] }
            return acted(
                house.scannerReceived(node: name, isScanning: isScanning, wasRetained: old, at: now), at: now)
        case .sight(let level, let name):
            guard regions[level] != nil else { return name == node ? remains(message) : [] }
            if message.payload.isEmpty {
                sights[level]?[name] = nil
                return acted(house.sightRemoved(node: name, region: level, at: now), at: now)
            }
            guard let sight = Wire.sight(message.payload) else { return [] }
            if sights[level]?[name] != nil || sights[level]?.count ?? 0 < House.nodeLimit {
                sights[level, default: [:]][name] = sight
            }
            return acted(
                house.sightReceived(node: name, region: level, sight, wasRetained: old, at: now), at: now)
        case .region(let level):
            guard regions[level] != nil else { return remains(message) }
            guard let state = Wire.region(message.payload) else { return [] }
            return acted(house.stateReceived(region: level, state, wasRetained: old, at: now), at: now)
        case .event(let level):
            guard regions[level] != nil, !old, let event = Wire.event(message.payload) else { return [] }
            house.eventReceived(region: level, event, at: now)
            return []
        case .promptAnswer(let name): return name == node ? answered(message) : []
        }
    }

    private mutating func statusReceived(_ message: MQTTMessage, from name: String, at now: Moment) -> [Output] {
        if message.payload.isEmpty { return forgotten(name, at: now) }
        guard message.payload == Array(Wire.online.utf8) || message.payload == Array(Wire.offline.utf8),
            statuses[name] != nil || statuses.count < House.nodeLimit
        else { return [] }
        let isOnline = message.payload == Array(Wire.online.utf8)
        statuses[name] = isOnline
        return acted(
            house.statusReceived(node: name, isOnline: isOnline, wasRetained: message.isRetained, at: now), at: now)
            + announcements(at: now.instant)
    }

    private mutating func forgotten(_ name: String, at now: Moment) -> [Output] {
        guard name != node else { return [] }
        (statuses[name], cards[name]) = (nil, nil)
        for level in sights.keys { sights[level]?[name] = nil }
        return acted(house.forgotten(node: name, at: now), at: now) + announcements(at: now.instant)
    }

    /// Somebody asks to forget a node: its topics are emptied. Nil if it is not known, or online.
    mutating func forget(_ name: String) -> [Output]? {
        guard name != node, isConnected, let isOnline = statuses[name], !isOnline else { return nil }
        let regions = cards[name]?.regions ?? levels
        var gone = regions.map { topics.sight(TopicName($0), by: name) }
        if let discovery {
            gone += regions.map { discovery.part(region: $0, node: name).topic } + [discovery.node(name).topic]
        }
        gone += [topics.scanner(name), topics.prompt(name), topics.about(name), topics.status(name)]
        return gone.map { .publish(.clearing($0)) }
    }

    /// Does what the house wants.
    mutating func acted(_ actions: [HouseAction], at now: Moment) -> [Output] {
        var outputs: [Output] = []
        for action in actions {
            switch action {
            case .subscribe(let level): outputs.append(.subscribe(topics.everySight(name(level))))
            case .unsubscribe(let level):
                sights[level] = nil
                outputs += [
                    .unsubscribe(topics.everySight(name(level))), .release(topic: topics.region(name(level))),
                ]
            case .publishState(let level, let state):
                outputs.append(
                    .publish(.value(topics.region(name(level)), Wire.region(state).utf8, isRefreshed: true)))
            case .publishEvent(let level, let event):
                outputs.append(.publish(.event(topics.event(name(level)), Wire.event(event).utf8)))
            case .publishHouse(let online):
                outputs.append(.publish(.value(topics.house, Wire.house(online: online, leader: node).utf8)))
            case .publishOffline(let name):
                let topic = topics.status(name)
                outputs += [.publish(.value(topic, Wire.offline.utf8)), .release(topic: topic)]
            case .publishOnline: outputs.append(.repeat(topic: topics.status(node)))
            case .happened(let level, let happening, let isOwner):
                guard let identifier = regions[level] else { continue }
                outputs.append(
                    .happened(.house(region: identifier, Event.House(happening, isOwner: isOwner)), at: now.wall))
            }
        }
        return actions.isEmpty ? [] : outputs + announcements(at: now.instant)
    }
}

extension Event.House {
    init(_ happening: HouseHappening, isOwner: Bool) {
        switch happening {
        case .didEnterRegion(let room): self = .didEnterRegion(room: room, isOwner: isOwner)
        case .didExitRegion: self = .didExitRegion(isOwner: isOwner)
        case .didDetermineState(let state):
            self = .didDetermineState(RegionState(rawValue: state.rawValue) ?? .unknown)
        case .didDetermineRoom(let room): self = .didDetermineRoom(room)
        }
    }
}
