import Agreement
import Events
import HCI
import MQTT
import Plumbing
import RegionMonitoring

/// This node's own messages.
extension BrokerCore {
    /// The seconds for which the broker retains a refreshed value: three times the interval.
    private static let expiry: UInt32 = 900

    /// Returns the values and subscriptions that do not depend on a connection.
    func started() -> [Output] {
        let filters = [
            topics.everyStatus, topics.everyScanner, topics.everyAbout, topics.everyRegion, topics.everyEvent,
            topics.everyBattery, topics.promptAnswer(node), topics.everyObservation(by: node), topics.prompt(node),
            topics.house,
        ]
        return [.publish(scannerValue), .publish(promptValue)] + filters.map { .subscribe($0) }
            + (discovery.map { [.subscribe("\($0.prefix)/status")] } ?? [])
    }

    var online: MQTTPublication {
        .value(topics.status(node), Wire.online.utf8, expiry: Self.expiry, isRefreshed: true)
    }

    var about: MQTTPublication { .value(topics.about(node), card.payload(list).utf8) }

    private var scannerValue: MQTTPublication { .value(topics.scanner(node), scanner.payload.utf8) }

    /// Handles a change of the Bluetooth adapter's state.
    mutating func bluetoothChanged(_ update: AdapterUpdate) -> [Output] {
        let ok = update.state == .poweredOn
        scanner = Scanner(ok: ok, adapter: update.adapter, reason: ok ? nil : update.reason)
        return [.publish(scannerValue)]
    }

    /// Handles a state that the region monitor determined.
    mutating func determined(_ identifier: String, _ state: RegionState, at now: Int64) -> [Output] {
        guard let level = levelOf[identifier] else { return [] }
        return published(plan.determined(level, state, at: now))
            + insideChanged(level, to: state == .inside, at: now)
    }

    /// Handles the reception of one of the region's beacons.
    mutating func heard(_ identifier: String, from beacon: UInt64, rssi: Int8, at now: Int64) -> [Output] {
        levelOf[identifier].map { published(plan.heard($0, from: beacon, rssi: rssi, at: now)) } ?? []
    }

    func published(_ publications: [ObservationPlan.Publication]) -> [Output] {
        publications.map { publication in
            let topic = topics.observation(of: name(publication.region), by: node)
            return .publish(.value(topic, Wire.observation(publication.observation).utf8, expiry: Self.expiry))
        }
    }

    /// Handles the passing of time.
    mutating func advanced(to now: Moment) -> [Output] {
        var outputs = published(plan.advanced(to: now.instant)) + acted(house.advanced(to: now), at: now)
        if !misdescribed.isEmpty { outputs += corrections() }
        if announcedOwnership != house.ownership {
            announcedOwnership = house.ownership
            outputs += announcements(at: now.instant)
        }
        if let until = looksUntil, until <= now.instant { outputs += remainsDeleted() }
        if retention.advance(to: now.instant) { outputs.append(.unsubscribe(topics.onlyAbout(node))) }
        if let due = batteriesAt, due <= now.instant {
            batteriesAt = now.instant.addingClamped(Self.batteryInterval)
            outputs.append(.measureBatteries)
        }
        if let survey, survey.nextDeadline <= now.instant {
            self.survey?.advance(to: now.instant)
            outputs.append(.surveyed)
            if survey.until <= now.instant {
                self.survey = nil
                outputs.append(.unsubscribe(topics.everyObservation))
            }
        }
        return outputs + repeats.due(at: now.instant).map { .repeat(topic: $0) }
    }

    /// Handles a new configuration.
    mutating func configured(_ configured: [BrokerRegion], at now: Moment) -> [Output] {
        let (old, before) = (levels, described)
        setRegions(configured)
        let gone = Set(old).subtracting(levels).sorted()
        let new = levels.filter { !old.contains($0) }
        var outputs: [Output] = []
        for level in gone {
            (inside, ranged) = (inside.subtracting([level]), ranged.subtracting([level]))
            (unrecorded[level], publishedBatteries[level], endedBatteries[level]) = (nil, nil, nil)
            strangers.insert(level)
            outputs += [
                .unsubscribe(topics.region(name(level))),
                .publish(.clearing(topics.observation(of: name(level), by: node))),
            ]
            if let discovery { outputs.append(.publish(.clearing(discovery.part(region: level, node: node).topic))) }
        }
        // A second subscription by name makes the broker deliver the retained state, which was ignored before.
        outputs += new.map { .subscribe(topics.region(name($0))) }
        if isConnected { outputs.append(.publish(about)) }
        strangers.subtract(new)
        outputs += acted(house.regionsReplaced(with: levels, at: now), at: now)
        cards.set(card, of: node)
        for (name, card) in cards.all { outputs += described(name, card, at: now) }
        outputs += published(plan.regionsReplaced(with: levels, at: now.instant))
        // The same state with other beacons.
        misdescribed.formIntersection(levels)
        misdescribed.formUnion(
            levels.filter { before[$0] != nil && before[$0]?.beacons != described[$0]?.beacons })
        if isConnected { outputs += corrections() }
        if isConnected, !gone.isEmpty { outputs += remainsLookedFor(at: now.instant) }
        return outputs + announcements(at: now.instant) + occupancyDetermined()
    }
}
