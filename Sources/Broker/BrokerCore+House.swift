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
        (statuses, cards, scanners, announced, strangers) = ([:], NodeCards(), [:], nil, [])
        survey?.connected(at: now.instant)
        // The observations are first, and the description last: behind it the node can be online.
        let outputs = published(plan.connected(at: now.instant)) + acted(house.connected(at: now), at: now)
        return outputs + remainsLookedFor(at: now.instant) + [.publish(about)]
    }

    /// What this node wrote for the house is for others to write: it would not know what they did.
    mutating func disconnected(at now: Moment) -> [Output] {
        guard isConnected else { return [] }
        (isConnected, isOnline) = (false, false)
        (looksUntil, repeats) = (nil, RepeatPlan())
        // The next connection must not publish what may be another node's by then.
        let released = announced.map { old in
            (old.isHub ? [discovery?.hub(nodes: []).topic].compactMap(\.self) : [])
                + old.regions.compactMap { discovery?.region($0, nodes: []).topic }
        }
        announced = nil
        return acted(house.disconnected(at: now), at: now) + hubMoved(at: now.instant)
            + ([topics.about(node), topics.status(node)] + (released ?? [])).map { .release(topic: $0) }
    }

    /// Something was delivered.
    mutating func received(_ message: MQTTMessage, at now: Moment) -> [Output] {
        guard let subject = topics.subject(of: message.topic) else { return foreign(message, at: now.instant) }
        let old = message.isRetained
        switch subject {
        case .status(let name): return statusReceived(message, from: name, at: now)
        case .about(let name):
            if name == node { return ownDescriptionReceived(message, at: now) }
            guard !message.payload.isEmpty else { return forgotten(name, at: now) }
            let known = cards[name]?.regions
            guard let card = cards.receive(message.payload, from: name, like: list) else { return [] }
            let before = known ?? card.regions
            let isLess = before != card.regions && !Set(before).isSubset(of: card.regions)
            var outputs = described(name, card, at: now)
            // It may have been the last one that watched a region.
            if isLess, house.isHub { outputs += remainsLookedFor(at: now.instant) }
            return outputs + announcements(at: now.instant)
        case .scanner(let name):
            if name == node, !old, message.payload != Array(scanner.payload.utf8) {
                repeats.want(message.topic, at: now.instant)
            }
            guard let scanner = Scanner(message.payload) else { return [] }
            if scanners[name] != nil || scanners.count < HouseReplica.nodeLimit { scanners[name] = scanner }
            return acted(
                house.scannerReceived(node: name, isScanning: scanner.ok, isRetained: old, at: now), at: now)
        case .sight(let level, let name):
            survey?.received(message.payload, level, name, at: now.instant)
            guard regions[level] != nil else { return name == node ? remains(message) : [] }
            if message.payload.isEmpty {
                guard name != node else {
                    repeats.want(message.topic, at: now.instant)
                    return []
                }
                return acted(house.observationRemoved(node: name, region: level, at: now), at: now)
            }
            guard let observation = Wire.observation(message.payload) else { return [] }
            let foreign = name == node && !old && plan.isForeign(observation) ? renamed(at: now.instant) : []
            return foreign
                + acted(
                    house.observationReceived(node: name, region: level, observation, isRetained: old, at: now), at: now
                )
        case .region(let level):
            guard regions[level] != nil else { return stateReceived(ofStranger: level, message) }
            let state = Wire.region(message.payload)
            return acted(house.stateReceived(region: level, state, isRetained: old, at: now), at: now)
        case .event(let level):
            guard regions[level] != nil, !old, let event = Wire.event(message.payload) else { return [] }
            house.eventReceived(region: level, event, at: now)
            return []
        case .promptAnswer(let name): return name == node ? answered(message) : []
        }
    }

    /// What a node watches: all that is configured here, in most houses.
    mutating func described(_ name: String, _ card: NodeCard, at now: Moment) -> [Output] {
        let watched = card.regions == list.regions ? nil : Set(card.regions)
        return acted(
            house.nodeDescribed(
                node: name, room: card.room, regions: watched, announces: card.announces, at: now), at: now)
    }

    private mutating func statusReceived(_ message: MQTTMessage, from name: String, at now: Moment) -> [Output] {
        if message.payload.isEmpty {
            if name == node, statuses[name] != nil { repeats.want(message.topic, at: now.instant) }
            return forgotten(name, at: now)
        }
        guard message.payload == Array(Wire.online.utf8) || message.payload == Array(Wire.offline.utf8),
            statuses[name] != nil || statuses.count < HouseReplica.nodeLimit
        else { return [] }
        let isOnline = message.payload == Array(Wire.online.utf8)
        statuses[name] = isOnline
        return acted(
            house.statusReceived(node: name, isOnline: isOnline, isRetained: message.isRetained, at: now), at: now)
            + announcements(at: now.instant)
    }

    mutating func forgotten(_ name: String, at now: Moment) -> [Output] {
        guard name != node else { return [] }
        let wasKnown = statuses[name] != nil || cards[name] != nil
        (statuses[name], scanners[name]) = (nil, nil)
        cards.remove(name)
        survey?.forgotten(name)
        let outputs = acted(house.forgotten(node: name, at: now), at: now) + announcements(at: now.instant)
        // It may have been the last one that watched a region.
        return outputs + (wasKnown && house.isHub && looksUntil == nil ? remainsLookedFor(at: now.instant) : [])
    }

    /// Handles this node's own description. It comes back behind everything that the broker retains.
    private mutating func ownDescriptionReceived(_ message: MQTTMessage, at now: Moment) -> [Output] {
        guard message.payload == Array(card.payload.utf8) else {
            if !message.isRetained { repeats.want(message.topic, at: now.instant) }
            return []
        }
        cards.set(card, of: node)
        return acted(
            house.nodeDescribed(
                node: node, room: room, regions: nil, announces: discovery != nil, isRetained: message.isRetained,
                at: now), at: now) + announcements(at: now.instant)
    }

    /// Does what the house wants.
    mutating func acted(_ actions: [HouseAction], at now: Moment) -> [Output] {
        var outputs: [Output] = []
        for action in actions {
            switch action {
            case .subscribe(let level): outputs.append(.subscribe(topics.everySight(name(level))))
            case .confirmObservation(let level) where plan.isInside(level): break
            case .repeatObservation(let level), .confirmObservation(let level):
                outputs.append(.repeat(topic: topics.sight(name(level), by: node)))
            case .unsubscribe(let level):
                outputs += [
                    .unsubscribe(topics.everySight(name(level))), .release(topic: topics.region(name(level))),
                ]
            case .publishState(let level, let state):
                let topic = topics.region(name(level))
                outputs.append(.publish(.value(topic, Wire.region(state).utf8, isRefreshed: true)))
                // It is another node's to say again.
                if state.isRestored { outputs.append(.release(topic: topic)) }
            case .publishEvent(let level, let event):
                outputs.append(.publish(.event(topics.event(name(level)), Wire.event(event).utf8)))
            case .publishHouse(let online):
                outputs.append(.publish(.value(topics.house, Wire.house(online: online, leader: node).utf8)))
            case .publishOffline(let name):
                let topic = topics.status(name)
                outputs += [.publish(.value(topic, Wire.offline.utf8)), .release(topic: topic)]
            case .publishOnline where isOnline: repeats.want(topics.status(node), at: now.instant)
            case .publishOnline:
                isOnline = true
                outputs.append(.publish(online))
            case .repeatDescription: outputs.append(.repeat(topic: topics.about(node)))
            case .subscribeAgain: outputs.append(.subscribeAgain)
            case .happened(let level, let news):
                guard let identifier = regions[level] else { continue }
                outputs.append(.happened(.house(region: identifier, news), at: now.wall))
            }
        }
        return actions.isEmpty ? [] : outputs + announcements(at: now.instant)
    }
}
