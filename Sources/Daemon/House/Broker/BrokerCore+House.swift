import Agreement
import Events
import MQTT
import Plumbing
import RegionMonitoring

/// The connection, the messages of the house, and the effects of its decisions.
extension BrokerCore {
    /// The maximum number of a region's events that wait for a slow disk.
    private static let unrecordedLimit = 64

    /// Handles CONNACK. The broker delivers its retained messages next.
    mutating func connected(at now: Moment) -> [Output] {
        (statuses, cards, scanners, announced, strangers) = ([:], NodeCards(), [:], nil, [])
        (batteries, endedBatteries, batteriesAt) = ([:], [:], now.instant.addingClamped(Self.batteryDelay))
        misdescribed = []
        survey?.connected(at: now.instant)
        // The observations are first and the description is last: after its return the node is online.
        let outputs = published(plan.connected(at: now.instant)) + acted(house.connected(at: now), at: now)
        return outputs + remainsLookedFor(at: now.instant) + [.publish(about)]
    }

    /// Handles the loss of the connection. The next one must not publish values that other nodes may have replaced meanwhile.
    mutating func disconnected(at now: Moment) -> [Output] {
        guard isConnected else { return [] }
        isOnline = false
        (looksUntil, batteriesAt, repeats, retention) = (nil, nil, RepeatPlan(), Retention())
        var released = [topics.about(node), topics.status(node)] + levels.map { topics.battery(name($0)) }
        if let announced, let discovery {
            if announced.isHub { released.append(discovery.hub(nodes: []).topic) }
            released += announced.regions.map { discovery.region($0, nodes: []).topic }
        }
        announced = nil
        return acted(house.disconnected(at: now), at: now) + hubMoved(at: now.instant)
            + released.map { .release(topic: $0) } + [.unsubscribe(topics.onlyAbout(node)), .surveyed]
    }

    /// Handles a message, behind the deadlines that are due: a node that is deleted for its silence may be the one that sent it.
    mutating func received(_ message: MQTTMessage, at now: Moment) -> [Output] {
        acted(house.advanced(to: now), at: now) + retentionExamined(message, at: now.instant)
            + handled(message, at: now)
    }

    private mutating func handled(_ message: MQTTMessage, at now: Moment) -> [Output] {
        guard let subject = topics.subject(of: message.topic) else { return foreign(message, at: now.instant) }
        switch subject {
        case .status(let name): return statusReceived(message, from: name, at: now)
        case .about(node): return ownDescriptionReceived(message, at: now)
        case .about(let name): return descriptionReceived(message, from: name, at: now)
        case .scanner(let name): return scannerReceived(message, from: name, at: now)
        case .observation(let level, let name): return observationReceived(message, of: level, from: name, at: now)
        case .region(let level):
            guard regions[level] != nil else { return stateReceived(ofStranger: level, message) }
            let state = Wire.region(message.payload)
            if message.isRetained, state != nil, isMisdescribed(level, message.payload) { misdescribed.insert(level) }
            return acted(
                house.stateReceived(region: level, state, isRetained: message.isRetained, at: now), at: now)
                + occupancyDetermined()
        case .battery(let level): return batteryReceived(message, of: level, at: now.instant)
        case .event(let level):
            guard regions[level] != nil, !message.isRetained, let event = Wire.event(message.payload) else { return [] }
            return acted(house.eventReceived(region: level, event, at: now), at: now)
        case .promptAnswer(let name): return name == node ? answered(message) : []
        }
    }

    private mutating func statusReceived(_ message: MQTTMessage, from name: String, at now: Moment) -> [Output] {
        if message.payload.isEmpty {
            if name == node, statuses[name] != nil { repeats.want(message.topic, at: now.instant) }
            return forgotten(name, at: now)
        }
        let isOnline = message.payload == Array(Wire.online.utf8)
        guard isOnline || message.payload == Array(Wire.offline.utf8) else {
            if name == node, self.isOnline { repeats.want(message.topic, at: now.instant) }
            return []
        }
        guard statuses[name] != nil || statuses.count < HouseReplica.nodeLimit else { return [] }
        statuses[name] = isOnline
        return acted(
            house.statusReceived(node: name, isOnline: isOnline, isRetained: message.isRetained, at: now), at: now)
            + announcements(at: now.instant)
    }

    private mutating func scannerReceived(_ message: MQTTMessage, from name: String, at now: Moment) -> [Output] {
        if name == node, !message.isRetained, message.payload != Array(scanner.payload.utf8) {
            repeats.want(message.topic, at: now.instant)
        }
        guard let scanner = Scanner(message.payload) else { return [] }
        if scanners[name] != nil || scanners.count < HouseReplica.nodeLimit { scanners[name] = scanner }
        return acted(
            house.scannerReceived(node: name, isScanning: scanner.ok, isRetained: message.isRetained, at: now), at: now)
    }

    private mutating func observationReceived(
        _ message: MQTTMessage, of level: String, from name: String, at now: Moment
    ) -> [Output] {
        survey?.received(message.payload, level, name, at: now.instant)
        guard regions[level] != nil else { return name == node ? remains(message) : [] }
        guard let observation = Wire.observation(message.payload) else {
            if name == node {
                repeats.want(message.topic, at: now.instant)
            } else if message.payload.isEmpty {
                return acted(house.observationRemoved(node: name, region: level, at: now), at: now)
            }
            return []
        }
        let isForeign = name == node && !message.isRetained && plan.isForeign(observation)
        return (isForeign ? renamed(at: now.instant) : [])
            + acted(
                house.observationReceived(
                    node: name, region: level, observation, isRetained: message.isRetained, at: now), at: now)
    }

    private mutating func descriptionReceived(_ message: MQTTMessage, from name: String, at now: Moment) -> [Output] {
        guard !message.payload.isEmpty else { return forgotten(name, at: now) }
        let known = cards[name]?.regions
        guard let card = cards.receive(message.payload, from: name, like: list) else { return [] }
        var outputs = described(name, card, at: now) + compared(name, card, at: now.instant)
        // This node may have been the last one that watched a region.
        if house.isHub, let known, known != card.regions, !Set(known).isSubset(of: card.regions) {
            outputs += remainsLookedFor(at: now.instant)
        }
        return outputs + announcements(at: now.instant)
    }

    /// Handles this node's own description. It comes back behind everything that the broker retains.
    private mutating func ownDescriptionReceived(_ message: MQTTMessage, at now: Moment) -> [Output] {
        guard message.payload == about.payload else {
            if !message.isRetained { repeats.want(message.topic, at: now.instant) }
            return []
        }
        cards.set(card, of: node)
        return acted(
            house.nodeDescribed(
                node: node, room: room, regions: nil, announces: discovery != nil, isRetained: message.isRetained,
                at: now), at: now) + announcements(at: now.instant)
    }

    mutating func described(_ name: String, _ card: NodeCard, at now: Moment) -> [Output] {
        let watched = card.regions == list.regions ? nil : Set(card.regions)
        return acted(
            house.nodeDescribed(
                node: name, room: card.room, regions: watched, announces: card.announces, at: now), at: now)
    }

    /// Logs that a node has another beacon under the same identifier: twenty times at once, and then once in ten seconds.
    private mutating func compared(_ name: String, _ card: NodeCard, at now: Int64) -> [Output] {
        let known = conflicts[name] ?? []
        let new = card.conflicts.first { !known.contains($0) }
        let burst = now.addingClamped(19 * Self.conflictInterval)
        // Otherwise the node's next description is compared with the same.
        guard new == nil || conflictsUntil <= burst else { return [] }
        conflicts[name] = card.conflicts.isEmpty ? nil : card.conflicts
        guard let level = new else { return [] }
        conflictsUntil = max(now, conflictsUntil).addingClamped(Self.conflictInterval)
        return [
            .note(
                "the region “\(regions[level] ?? level)” has another UUID, major or minor on the node “\(name)”; "
                    + "correct one of the two configurations, or choose another identifier")
        ]
    }

    private static let conflictInterval: Int64 = 10_000_000_000

    /// Handles that a node was deleted, or that another client emptied its topics.
    mutating func forgotten(_ name: String, at now: Moment) -> [Output] {
        guard name != node else { return [] }
        let outputs = acted(house.forgotten(node: name, at: now), at: now)
        return house.online(at: now.instant).contains(name) ? outputs : outputs + deleted(name, at: now)
    }

    /// Drops what is stored of a node.
    private mutating func deleted(_ name: String, at now: Moment) -> [Output] {
        let wasKnown = statuses[name] != nil || cards[name] != nil
        (statuses[name], scanners[name], conflicts[name]) = (nil, nil, nil)
        cards.remove(name)
        survey?.forgotten(name)
        let outputs = announcements(at: now.instant)
        // This node may have been the last one that watched a region.
        return outputs + (wasKnown && house.isHub && looksUntil == nil ? remainsLookedFor(at: now.instant) : [])
    }

    /// Carries out the effects of the house's decisions.
    mutating func acted(_ actions: [HouseAction], at now: Moment) -> [Output] {
        var outputs: [Output] = []
        for action in actions {
            switch action {
            case .subscribe(let level): outputs.append(.subscribe(topics.everyObservation(of: name(level))))
            case .confirmObservation(let level) where plan.isInside(level): break
            case .confirmObservation(let level):
                repeats.want(topics.observation(of: name(level), by: node), at: now.instant)
            case .repeatObservation(let level):
                outputs.append(.repeat(topic: topics.observation(of: name(level), by: node)))
            case .unsubscribe(let level):
                outputs += [
                    .unsubscribe(topics.everyObservation(of: name(level))),
                    .release(topic: topics.region(name(level))),
                ]
            case .publishState(let level, let state):
                outputs.append(.publish(value(of: level, state)))
                // The owner publishes it again.
                if state.isRestored { outputs.append(.release(topic: topics.region(name(level)))) }
            case .publishEvent(let level, let event):
                unrecorded[level] = (unrecorded[level] ?? []).suffix(Self.unrecordedLimit - 1) + [event]
            case .publishHouse(let online): counted = online
            case .publishOffline(let name):
                let topic = topics.status(name)
                outputs += [.publish(.value(topic, Wire.offline.utf8)), .release(topic: topic)]
            case .publishForgotten(let name): outputs.append(.publish(.clearing(topics.status(name))))
            case .publishOnline where isOnline: repeats.want(topics.status(node), at: now.instant)
            case .publishOnline:
                isOnline = true
                outputs.append(.publish(online))
            case .deleted(let name): outputs += deleted(name, at: now)
            case .repeatDescription: outputs.append(.repeat(topic: topics.about(node)))
            case .subscribeAgain: outputs.append(.subscribeAgain)
            case .happened(let level, let news):
                if let identifier = regions[level] {
                    outputs.append(.happened(.house(region: identifier, news), at: now.wall))
                }
            }
        }
        guard !actions.isEmpty else { return [] }
        return outputs + announcements(at: now.instant) + occupancyDetermined()
    }

    /// Whether the message of a region has other beacons than this node: those of an earlier configuration, or none.
    private func isMisdescribed(_ level: String, _ payload: [UInt8]) -> Bool {
        guard let region = described[level], let beacons = region.beacons, Wire.beacons(region) != .null else {
            return false
        }
        return Wire.beacons(payload) != .init(identifier: region.identifier, beacons: beacons)
    }

    /// Publishes the states of this node's regions again whose message has other beacons.
    mutating func corrections() -> [Output] {
        let own = misdescribed.filter { house.owner(of: $0) == node }
        misdescribed.subtract(own)
        return own.sorted().compactMap { level in house.state(of: level).map { .publish(value(of: level, $0)) } }
    }

    /// Returns the message of a region's agreed state.
    func value(of level: String, _ state: HouseState) -> MQTTPublication {
        .value(topics.region(name(level)), Wire.region(state, of: described[level]).utf8, isRefreshed: true)
    }

    /// Publishes an event of the house after this node's hub has recorded it: each is one news item of its owner. The region's
    /// message, which does not name it any more, follows.
    mutating func recorded(_ news: HouseNews, of identifier: String, at now: Moment) -> [Output] {
        guard news.isOwned, let level = levelOf[identifier], var waiting = unrecorded[level] else { return [] }
        let event = waiting.removeFirst()
        unrecorded[level] = waiting.isEmpty ? nil : waiting
        return [.publish(.event(topics.event(name(level)), Wire.event(event).utf8))]
            // The client sends it behind `online`.
            + (isOnline ? acted(house.eventReceived(region: level, event, at: now), at: now) : [])
    }

    /// Handles that there was no room for the latest output: this node's hub never records its event.
    mutating func dropped(_ output: Output) {
        guard case .happened(.house(let identifier, let news), _) = output, news.isOwned,
            let level = levelOf[identifier], var waiting = unrecorded[level]
        else { return }
        waiting.removeLast()
        unrecorded[level] = waiting.isEmpty ? nil : waiting
    }
}

extension HouseNews {
    /// Whether it is an event that this node announces.
    fileprivate var isOwned: Bool {
        switch self {
        case .didEnterRegion(_, let isOwner), .didExitRegion(let isOwner): isOwner
        case .didDetermineState, .didDetermineRoom: false
        }
    }
}
