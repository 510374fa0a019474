import Agreement
import Events
import HomeAssistant
import MQTT
import RegionMonitoring

/// This node's own words.
extension BrokerCore {
    /// For how many seconds the broker keeps what must be said again: three times as long as it takes.
    private static let expiry: UInt32 = 900

    /// What is published and listened to from the beginning, whether there is a connection or not.
    func started() -> [Output] {
        [
            .publish(scannerValue), .publish(promptValue),
        ]
            + [
                topics.everyStatus, topics.everyScanner, topics.everyAbout, topics.everyRegion, topics.everyEvent,
                topics.promptAnswer(node), topics.everySightOf(node), topics.prompt(node),
            ].map { .subscribe($0) } + (discovery.map { [.subscribe("\($0.prefix)/status")] } ?? [])
    }

    var online: MQTTPublication {
        .value(topics.status(node), Wire.online.utf8, expiry: Self.expiry, isRefreshed: true)
    }

    var about: MQTTPublication { .value(topics.about(node), card.payload.utf8) }

    private var scannerValue: MQTTPublication { .value(topics.scanner(node), scanner.payload.utf8) }

    /// Bluetooth's state changed here.
    mutating func bluetoothChanged(_ state: String, adapter: String?, reason: String) -> [Output] {
        let ok = state == "poweredOn"
        scanner = Scanner(ok: ok, adapter: adapter, reason: ok ? nil : reason)
        return [.publish(scannerValue)]
    }

    /// The region monitor determined a state.
    mutating func determined(_ identifier: String, _ state: RegionState, at now: Int64) -> [Output] {
        guard let level = levelOf[identifier] else { return [] }
        return published(plan.determined(level, state, at: now))
            + insideChanged(level, to: state == .inside, at: now)
    }

    /// A beacon of the region was heard.
    mutating func heard(_ identifier: String, from beacon: UInt64, rssi: Int8, at now: Int64) -> [Output] {
        levelOf[identifier].map { published(plan.heard($0, from: beacon, rssi: rssi, at: now)) } ?? []
    }

    func published(_ publications: [ObservationPlan.Publication]) -> [Output] {
        publications.map { publication in
            let topic = topics.sight(name(publication.region), by: node)
            return .publish(.value(topic, Wire.observation(publication.observation).utf8, expiry: Self.expiry))
        }
    }

    /// Time went on.
    mutating func advanced(to now: Moment) -> [Output] {
        var outputs = published(plan.advanced(to: now.instant))
        outputs += acted(house.advanced(to: now), at: now)
        if announcedOwnership != house.ownership {
            announcedOwnership = house.ownership
            outputs += announcements(at: now.instant)
        }
        if let until = looksUntil, until <= now.instant { outputs += lookedThrough(at: now.instant) }
        if let survey, survey.until <= now.instant { outputs += surveyed() }
        outputs += repeats.due(at: now.instant).map { .repeat(topic: $0) }
        return outputs
    }

    /// The configuration changed.
    mutating func configured(_ identifiers: [String], at now: Moment) -> [Output] {
        let old = levels
        take(identifiers)
        let (gone, new) = (Set(old).subtracting(levels), levels.filter { !old.contains($0) })
        var outputs: [Output] = gone.sorted().flatMap { level -> [Output] in
            inside.remove(level)
            ranged.remove(level)
            let part = discovery.map { Output.publish(.clearing($0.part(region: level, node: node).topic)) }
            strangers.insert(level)
            return [
                .unsubscribe(topics.region(name(level))), .publish(.clearing(topics.sight(name(level), by: node))),
            ] + (part.map { [$0] } ?? [])
        }
        // What the broker keeps of it was delivered already, and not heeded: asked for by name it comes again.
        outputs += new.map { .subscribe(topics.region(name($0))) } + (isConnected ? [.publish(about)] : [])
        strangers.subtract(new)
        outputs += acted(house.regionsReplaced(with: levels, at: now), at: now)
        cards.set(card, of: node)
        for (name, card) in cards.all { outputs += described(name, card, at: now) }
        outputs += published(plan.regionsReplaced(with: levels, at: now.instant))
        if isConnected, !gone.isEmpty { outputs += remainsLookedFor(at: now.instant) }
        return outputs + announcements(at: now.instant)
    }
}
