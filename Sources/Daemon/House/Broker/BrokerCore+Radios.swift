import OkaeriEvents
import OkaeriMQTT
import OkaeriPlumbing
import OkaeriPresence
import OkaeriRooms
import RegionMonitoring

/// The radios of the house: at a hub, those that report to it; at a receiver, its own one.
extension BrokerCore {
    /// Whether another radio may receive a beacon.
    var hasOtherRadios: Bool { radios.isAnyPresent || receivers.isAnyPresent }

    // MARK: At a hub

    /// Handles a message of a receiver. A retained one is ignored: it is old.
    mutating func heardReceived(_ message: MQTTMessage, from name: String, at now: Int64) -> [Output] {
        guard isStandby || (isHub && election.isDeciding), name != node, !message.isRetained, settings.uses(name),
            nodes.isOnline(name),
            radios.admits(name, at: now), let heard = HeardMessage(message.payload)
        else { return [] }
        guard let displaced = displacedRadio(by: name) else { return [] }
        var report = radios.received(heard, from: name, at: now)
        let offset = nodes[name]?.card?.offset ?? 0
        if offset != 0 {
            for index in report.receptions.indices {
                report.receptions[index].rssi = report.receptions[index].rssi.map {
                    Int8(min(max(Double($0) + offset.rounded(), -127), 20))
                }
            }
        }
        return displaced + [.reported(radio: name, report)]
    }

    /// Removes the radio that has been away for longest if the limit is reached. Returns `nil` while all are present.
    private mutating func displacedRadio(by name: String) -> [Output]? {
        if radios.hasRoom(for: name) { return [] }
        return radios.longestAway.map { radioRemoved($0) }
    }

    /// Handles that a radio's node is offline.
    mutating func radioLeft(_ name: String) -> [Output] {
        radios.left(name) ? [.radioLost(name)] : []
    }

    mutating func radiosLeft() -> [Output] {
        radios.names.flatMap { radioLeft($0) } + receivers.allLeft().map { .radioLost($0) }
    }

    /// Handles that a radio does not come back.
    mutating func radioRemoved(_ name: String) -> [Output] {
        radios.removed(name)
        receivers.removed(name)
        return hasEngine ? [.radioRemoved(name)] : []
    }

    /// Whether no report of a radio with this name is used: the configuration has no such receiver, or excludes the node.
    func excludes(radio name: String) -> Bool {
        guard hasEngine else { return true }
        if receivers.mayHave(name) { return false }
        if let radios = settings.radios { return !radios.contains(name) }
        return ForeignReceivers.isName(name) && nodes[name] == nil
    }

    /// Handles the passing of time.
    mutating func radiosAdvanced(to now: Int64) -> [Output] {
        let away = radios.advance(to: now)
        // The broker delivers what the hub wants before this node is online.
        let isDue = ownReports.advance(to: now)
        return away.flatMap { radioLeft($0) } + (isDue && isOnline ? [.collectHeard] : []) + receiversAdvanced(to: now)
    }

    // MARK: At a receiver

    /// Begins and ends the reports of this hub's own radio: a standby needs them.
    mutating func standbyChanged(at now: Int64) -> [Output] {
        guard isHub else { return [] }
        let isWatched =
            isHolding
            && nodes.all.contains { $0.value.isOnline && $0.value.card?.kind == .standby && settings.uses($0.key) }
        return isWatched == ownReports.isWanted ? [] : wantedChanged(isWatched ? wantedBeacons : nil, at: now)
    }

    /// Handles what the hub wants.
    mutating func wantedChanged(_ wanted: WantedBeacons?, at now: Int64) -> [Output] {
        ownReports.wantedChanged(wanted != nil, at: now)
        return [.wanted(wanted)]
    }

    /// Handles that this node's radio has received a sender that was not there.
    mutating func senderFound(at now: Int64) -> [Output] {
        ownReports.senderFound(at: now)
        return []
    }

    /// Handles what this node's radio has received since the last message.
    mutating func heardCollected(_ message: HeardMessage?, at now: Int64) -> [Output] {
        guard let message, isOnline else { return [] }
        ownReports.sent(at: now)
        return [.publish(.event(topics.heard(node), message.payload.utf8, quality: .atMostOnce))]
    }

    /// Handles a region's state at the broker: at a receiver as the hub published it.
    mutating func regionReceived(_ message: MQTTMessage, _ level: String, at now: Moment) -> [Output] {
        guard isRadio else {
            // Another client changed it, or it is a region of an earlier configuration.
            guard let identifier = identifiers[level], let position = positions[identifier] else {
                remains.strangerReceived(level, isDeleted: message.payload.isEmpty)
                return []
            }
            if isHub, !isHolding, let published = Wire.region(message.payload), published.identifier == identifier {
                publishedRegions[level] = published
            }
            if isHolding, !message.isRetained, message.payload != value(of: regions[position]).payload {
                repeats.want(message.topic, at: now.instant)
                guard let published = Wire.region(message.payload), published.identifier == identifier else {
                    return []
                }
                // Not as an argument: `adopted` would use the announcements before.
                let adoption = announcements.repeated(published, at: now)
                return adopted(adoption, at: now)
            }
            return []
        }
        let before = publishedRegions[level]
        guard let published = Wire.region(message.payload) else {
            publishedRegions[level] = nil
            return []
        }
        guard before != nil || publishedRegions.count < Self.publishedRegionLimit else { return [] }
        publishedRegions[level] = published
        if isStandby { publishedRegionFound(published, isRetained: message.isRetained) }
        guard isHubKnown else { return [] }
        var news: [HouseNews] = []
        if before?.state != published.state { news.append(.didDetermineState(published.state)) }
        if before?.room != published.room { news.append(.didDetermineRoom(published.room)) }
        return news.map { .happened(.house(region: published.identifier, $0), at: now.wall) }
    }

    /// Handles an event of the house, at a receiver.
    mutating func eventReceived(_ message: MQTTMessage, _ level: String, at now: Moment) -> [Output] {
        guard isRadio, !message.isRetained, let event = Wire.event(message.payload),
            let published = publishedRegions[level],
            lastEvent[level] != event.number
        else { return [] }
        if lastEvent[level] == nil, lastEvent.count >= Self.publishedRegionLimit { lastEvent = [:] }
        lastEvent[level] = event.number
        let news: HouseNews =
            event.kind == .enter
            ? .didEnterRegion(room: event.room, isOwner: false) : .didExitRegion(isOwner: false)
        return [.happened(.house(region: published.identifier, news), at: now.wall)]
    }

    /// Handles that the hub may have come or gone. Without it the last published state is not the present one.
    mutating func hubChanged(at now: Moment) -> [Output] {
        guard !isHub, isHubKnown != (hubName != nil) else { return [] }
        isHubKnown.toggle()
        guard !isHolding else { return [] }
        return publishedRegions.values.sorted { $0.identifier < $1.identifier }.filter { $0.state != .unknown }
            .map {
                .happened(
                    .house(region: $0.identifier, .didDetermineState(isHubKnown ? $0.state : .unknown)), at: now.wall)
            }
    }

    /// The number of published regions that are stored.
    private static let publishedRegionLimit = 1024
}
