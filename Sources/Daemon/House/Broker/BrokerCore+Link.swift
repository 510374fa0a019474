import HCI
import OkaeriEvents
import OkaeriMQTT
import OkaeriPlumbing
import OkaeriRooms
import RegionMonitoring

/// The connection, and the messages about nodes.
extension BrokerCore {
    /// The seconds for which the broker retains a refreshed value: three times the interval.
    private static let expiry: UInt32 = 900

    /// The shortest time between two restarts that a client of the broker causes.
    private static let restartPause = 60 * Nanoseconds.second

    /// Returns the values and subscriptions that do not depend on a connection.
    mutating func started(at now: Moment) -> [Output] {
        announcements.waitBegan(at: now.instant)
        if hasEngine { ownRate = ReceptionRate(at: now.instant) }
        var filters = [
            topics.everyStatus, topics.everyScanner, topics.everyAbout, topics.hub, topics.wanted,
            topics.promptAnswer(node), topics.prompt(node),
        ]
        if hasEngine { filters += [topics.everyHeard, topics.everyBattery, topics.regions] }
        if settings.restarts { filters.append(topics.restart(node)) }
        filters += receivers.filters
        if !isHub { filters.append(topics.everyEvent) }
        // What an earlier version retained.
        filters.append(topics.everyObservation(by: node))
        // What comes back of these would only be compared with what was published.
        let othersFilters = [topics.everyRegion] + (hasEngine ? [topics.house] : [])
        return [.publish(scannerValue), .publish(prompt.value)] + othersFilters.map { .subscribeToOthers($0) }
            + filters.map { .subscribe($0) }
            + (discovery.map { [.subscribe("\($0.prefix)/status")] } ?? [])
    }

    var online: MQTTPublication {
        .value(topics.status(node), Wire.online.utf8, expiry: Self.expiry, isRefreshed: true)
    }

    var about: MQTTPublication { .value(topics.about(node), card.payload.utf8) }

    var card: NodeCard {
        NodeCard(
            kind: settings.kind, room: settings.room, offset: settings.offset, version: settings.version,
            since: since)
    }

    private var scannerValue: MQTTPublication { .value(topics.scanner(node), scanner.payload.utf8) }

    private var claimValue: MQTTPublication { .value(topics.hub, election.own.payload.utf8) }

    /// Handles CONNACK. The broker delivers its retained messages next.
    mutating func connected(at now: Moment) -> [Output] {
        // The broker delivers the retained states again, without those of regions that were removed meanwhile.
        (nodes, announced, publishedRegions, isConnected) = (HouseNodes(), nil, [:], true)
        remains.connected()
        batteries.connected()
        distances.repeated()
        delivery.connected(at: now.instant)
        if hasEngine { election.connected() }
        return [.publish(about)]
    }

    /// Handles the loss of the connection. The next one must not publish values that other nodes may have replaced meanwhile.
    mutating func disconnected(at now: Moment) -> [Output] {
        guard isConnected else { return [] }
        (isConnected, isOnline) = (false, false)
        remains.disconnected()
        batteries.disconnected()
        (repeats, retention) = (RepeatPlan(), Retention())
        delivery.disconnected()
        let released = [topics.about(node), topics.status(node)] + topicsOfHub
        election.disconnected()
        announcements.disconnected()
        announced = nil
        (nodes, hub) = (HouseNodes(), nil)
        return released.map { .release(topic: $0) } + [.unsubscribe(topics.onlyAbout(node))] + hubChanged(at: now)
            + wantedChanged(nil, at: now.instant)
    }

    /// Handles a message, behind the deadlines that are due: a node that is deleted for its silence may be the one that sent it.
    mutating func received(_ message: MQTTMessage, at now: Moment) -> [Output] {
        nodesAdvanced(to: now) + retentionExamined(message, at: now.instant) + handled(message, at: now)
    }

    private mutating func handled(_ message: MQTTMessage, at now: Moment) -> [Output] {
        guard let subject = topics.subject(of: message.topic) else {
            return receiverMessageReceived(message, at: now.instant) ?? foreign(message, at: now.instant)
        }
        switch subject {
        case .heard(let name): return heardReceived(message, from: name, at: now.instant)
        case .status(let name): return statusReceived(message, from: name, at: now)
        case .about(node): return ownDescriptionReceived(message, at: now)
        case .about(let name): return descriptionReceived(message, from: name, at: now)
        case .scanner(let name): return scannerReceived(message, from: name, at: now.instant)
        case .hub: return claimReceived(message, at: now)
        case .wanted: return wantedReceived(message, at: now.instant)
        case .regions: return definitionsReceived(message, at: now.instant)
        case .observation(_, let name): return name == node ? remainFound(message) : []
        case .region(let level): return regionReceived(message, level, at: now)
        case .battery(let level):
            let isOther = batteries.received(message, level, of: identifiers[level])
            if isHolding, !message.isRetained, isOther { repeats.want(message.topic, at: now.instant) }
            return []
        case .event(let level): return eventReceived(message, level, at: now)
        case .promptAnswer(let name): return name == node ? prompt.answered(message) : []
        case .restart(let name):
            guard settings.restarts, name == node, !message.isRetained, message.payload == Array("restart".utf8),
                restartedAt.map({ now.instant.subtractingClamped($0) >= Self.restartPause }) ?? true
            else { return [] }
            restartedAt = now.instant
            return [.restart]
        }
    }

    private mutating func statusReceived(_ message: MQTTMessage, from name: String, at now: Moment) -> [Output] {
        let isOnline = message.payload == Array(Wire.online.utf8)
        if name == node, !message.isRetained, self.isOnline, !isOnline {
            // Another node took this one for silent, its last will came late, or another client wrote it.
            repeats.want(message.topic, at: now.instant)
        }
        if message.payload.isEmpty { return emptied(name, at: now) }
        guard isOnline || message.payload == Array(Wire.offline.utf8) else { return [] }
        nodes.statusReceived(name, isOnline: isOnline, isRetained: message.isRetained, at: now.instant)
        return (isOnline ? [] : radioLeft(name)) + nodesChanged(at: now)
    }

    private mutating func scannerReceived(_ message: MQTTMessage, from name: String, at now: Int64) -> [Output] {
        if name == node, !message.isRetained, message.payload != Array(scanner.payload.utf8) {
            repeats.want(message.topic, at: now)
        }
        if let scanner = Scanner(message.payload) { nodes.scannerReceived(name, scanner) }
        return []
    }

    private mutating func descriptionReceived(_ message: MQTTMessage, from name: String, at now: Moment) -> [Output] {
        guard !message.payload.isEmpty else { return emptied(name, at: now) }
        guard let card = NodeCard(message.payload) else { return [] }
        nodes.described(name, card)
        announcements.described(name, isStandby: card.kind == .standby && settings.uses(name))
        return nodesChanged(at: now)
    }

    /// Handles this node's own description. It comes back behind everything that the broker retains.
    private mutating func ownDescriptionReceived(_ message: MQTTMessage, at now: Moment) -> [Output] {
        guard message.payload == about.payload else {
            if !message.isRetained { repeats.want(message.topic, at: now.instant) }
            return []
        }
        nodes.described(node, card)
        guard !message.isRetained, delivery.received() else { return nodesChanged(at: now) }
        // The engine may wait for a radio of an earlier configuration.
        let excluded = [Output.removeExcludedRadios]
        guard hasEngine else { return excluded + wentOnline() + nodesChanged(at: now) }
        let nodes = nodes
        return excluded + decided(election.settled({ nodes.isOnline($0) }, at: now.instant), at: now)
            + announcementsRepeated() + nodesChanged(at: now)
    }

    private mutating func claimReceived(_ message: MQTTMessage, at now: Moment) -> [Output] {
        let claim = HubClaim(message.payload)
        if !isHub { hub = claim }
        guard hasEngine else { return hubChanged(at: now) }
        // A hub that has just started, and has standbys: its disk may be older than what they have announced.
        election.mayHaveBeenReplaced = isHub && !announcements.isSpeaking
        let nodes = nodes
        return decided(
            election.received(claim, isRetained: message.isRetained, at: now.instant) { nodes.isOnline($0) }, at: now)
            + hubChanged(at: now)
    }

    private mutating func wantedReceived(_ message: MQTTMessage, at now: Int64) -> [Output] {
        guard isHub || isHolding else { return wantedChanged(WantedBeacons(message.payload), at: now) }
        if isHolding, !message.isRetained, message.payload != wantedValue.payload {
            repeats.want(message.topic, at: now)
        }
        return []
    }

    /// Handles the definitions of the regions: a standby has the same as the hub.
    private mutating func definitionsReceived(_ message: MQTTMessage, at now: Int64) -> [Output] {
        if isHolding {
            if !message.isRetained, message.payload != definitionsValue.payload { repeats.want(message.topic, at: now) }
            return []
        }
        // A hub that leaves the house empties the topic: the standby has nothing to decide from then on.
        let text = message.payload.isEmpty ? Array(#"{"regions":[]}"#.utf8) : message.payload
        guard isStandby, text != definitions, !(message.payload.isEmpty && message.isRetained) else { return [] }
        definitions = text
        return [.definitions(text)]
    }

    /// Carries out a decision about which node decides for the site.
    private mutating func decided(_ decision: HubElection.Decision, at now: Moment) -> [Output] {
        switch decision {
        case .nothing: return []
        case .claim: return [.publish(claimValue)]
        case .repeatClaim:
            repeats.want(topics.hub, at: now.instant)
            return []
        case .proves:
            // The receivers report meanwhile: without them, this node would decide by its own radio alone.
            return [.publish(wantedValue)]
        case .began:
            // The broker may have another value than the one that this hub published last.
            houseValue = []
            batteries.began(at: now.instant)
            let adoption = announcements.began(regionsAtBroker, at: now)
            if isHub { publishedRegions = [:] }
            return released(adoption) + [.publish(wantedValue), .publish(definitionsValue)]
                + regions.map { .publish(value(of: $0)) }
                + occupancyDetermined() + devicesChanged(at: now.instant)
                // A standby may have fewer regions than the hub.
                + (isHub ? remainsLookedFor(at: now.instant) : wantedChanged(nil, at: now.instant)) + wentOnline()
                + receiversPublished(at: now.instant)
                + publishedAgain(adoption) + takeOver(of: adoption, at: now) + nodesChanged(at: now)
        case .yielded(let other):
            announced = nil
            announcements.yielded(to: other)
            let events = regions.map { topics.event(name($0.level)) }
            let released = (topicsOfHub + events).map { Output.release(topic: $0) } + wentOnline()
            guard isHub, let other else { return released }
            return released + radiosLeft() + [.note(conflict(with: other))]
        }
    }

    /// The sentence about two hubs, with the two ways out.
    private func conflict(with other: String) -> String {
        "the node \"\(other)\" is the hub of the site \"\(settings.site)\": this one publishes nothing for the house; "
            + "run \(Remedy.okaeri("join")) to make it a receiver, or give it another \"site\" of \"mqtt\""
    }

    /// The sentence about another hub of this site; `nil` without one.
    var conflict: String? {
        if isHub, case .yielded(let other?) = election.state { conflict(with: other) } else { nil }
    }

    private mutating func wentOnline() -> [Output] {
        guard !isOnline else { return [] }
        isOnline = true
        return [.publish(online)]
    }

    /// The topics that the hub of the site publishes.
    private var topicsOfHub: [String] {
        // A standby at the broker again must not publish what it published before.
        guard hasEngine else { return [] }
        let own =
            [topics.hub, topics.wanted, topics.regions, topics.house] + regions.map { topics.region(name($0.level)) }
            + receiverTopics
        return own + regions.map { topics.battery(name($0.level)) } + announcedTopics
    }

    // MARK: Nodes

    /// Handles that a node came, went, or described itself anew.
    private mutating func nodesChanged(at now: Moment) -> [Output] {
        let nodes = nodes
        election.nodesChanged({ nodes.isOnline($0) }, at: now.instant)
        return hubChanged(at: now) + standbyChanged(at: now.instant) + occupancyDetermined()
            + devicesChanged(at: now.instant)
    }

    /// Handles the passing of time for the nodes.
    private mutating func nodesAdvanced(to now: Moment) -> [Output] {
        let (silent, deleted) = nodes.advance(to: now.instant)
        guard !silent.isEmpty || !deleted.isEmpty else { return [] }
        var outputs = silent.flatMap { radioLeft($0) } + deleted.flatMap { radioRemoved($0) }
        if isHolding {
            for name in silent where name != node {
                let topic = topics.status(name)
                outputs += [.publish(.value(topic, Wire.offline.utf8)), .release(topic: topic)]
            }
        }
        return outputs + nodesChanged(at: now)
    }

    /// Handles that a node's topics were emptied.
    private mutating func emptied(_ name: String, at now: Moment) -> [Output] {
        guard name != node, nodes.emptied(name, at: now.instant) else { return [] }
        return radioRemoved(name) + nodesChanged(at: now)
    }

    /// Deletes a node: empties its topics and ends its part in every decision.
    mutating func forget(_ name: String, at now: Moment) -> Result<[Output], ForgetFailure> {
        guard TopicName.isLevel(name), nodes[name] != nil || radios[name] != nil || receivers[name] != nil else {
            return .failure(.unknown(name))
        }
        guard name != node, !nodes.isOnline(name), receivers[name]?.isAway ?? true else {
            return .failure(.online(name))
        }
        if receivers[name] != nil { return .success(receiverForgotten(name)) }
        var gone = regions.map { topics.observation(of: TopicName($0.level), by: name) }
        if let discovery {
            gone += regions.map { discovery.part(region: $0.level, node: name).topic } + [discovery.node(name).topic]
        }
        gone += [topics.scanner(name), topics.prompt(name), topics.about(name), topics.status(name)]
        nodes.remove(name)
        announcements.forgot(name)
        return .success(gone.map { .publish(.clearing($0)) } + radioRemoved(name) + nodesChanged(at: now))
    }

    /// Handles a change of the Bluetooth adapter's state.
    mutating func bluetoothChanged(_ update: AdapterUpdate) -> [Output] {
        let ok = update.state == .poweredOn
        scanner = Scanner(ok: ok, adapter: update.adapter, reason: ok ? nil : update.reason)
        return [.publish(scannerValue)]
    }

    /// Handles the passing of time.
    mutating func advanced(to now: Moment) -> [Output] {
        var outputs = nodesAdvanced(to: now) + announced(house.advanced(to: now.instant), at: now)
        let wait = delivery.advance(to: now.instant)
        if wait.repeatsDescription { outputs.append(.repeat(topic: topics.about(node))) }
        if wait.subscribesAgain { outputs.append(.subscribeAgain) }
        outputs += decided(election.advanced(to: now.instant), at: now) + radiosAdvanced(to: now.instant)
        outputs += announcementsAdvanced(to: now)
        if let until = remains.nextDeadline, until <= now.instant { outputs += remainsDeleted() }
        if retention.advance(to: now.instant) { outputs.append(.unsubscribe(topics.onlyAbout(node))) }
        if batteries.advance(to: now.instant) { outputs.append(.measureBatteries) }
        if let line = connectionLog.advance(to: now.instant) { outputs.append(line) }
        return outputs + repeats.due(at: now.instant).map { .repeat(topic: $0) }
    }

    /// Handles a new configuration.
    mutating func configured(_ configured: [BrokerRegion], at now: Moment) -> [Output] {
        let old = regions
        setRegions(configured)
        guard hasEngine else { return [] }
        let kept = Set(regions.map(\.level))
        let gone = old.filter { !kept.contains($0.level) }
        remains.configured(gone: gone.map(\.level), kept: kept)
        guard isHolding else { return nodesChanged(at: now) }
        var outputs: [Output] =
            [.publish(wantedValue), .publish(definitionsValue)] + regions.map { .publish(value(of: $0)) }
        if isHub, ownReports.isWanted { outputs += wantedChanged(wantedBeacons, at: now.instant) }
        if isHub, !gone.isEmpty { outputs += remainsLookedFor(at: now.instant) }
        return outputs + occupancyDetermined() + devicesChanged(at: now.instant)
    }
}

extension HouseNodes {
    func isOnline(_ name: String) -> Bool { self[name]?.isOnline ?? false }
}
