import OkaeriEvents
import OkaeriMQTT
import OkaeriPlumbing
import OkaeriPresence
import OkaeriReceivers
import OkaeriRooms
package import RegionMonitoring

/// The regions: what this hub decides and publishes.
extension BrokerCore {
    /// Handles the reception of a region's beacon by a radio of this hub.
    ///
    /// - Parameters:
    ///   - radio: The radio's name; `nil` for this machine's own one.
    ///   - beacon: A number that distinguishes the beacon from the region's others.
    mutating func heard(
        by radio: String?, _ identifier: String, from beacon: UInt64, rssi: Int8, at now: Moment
    ) -> [Output] {
        guard hasEngine else { return [] }
        if radio == nil { ownRate?.received(at: now.instant) }
        let name = radio ?? node
        let receiver = radio.flatMap { receivers.place(of: $0) }
        guard let room = radio.map({ nodes[$0]?.card?.room ?? receiver?.place.room }) ?? settings.room else {
            return []
        }
        // A report has its radio's offset.
        let offset = radio == nil ? settings.offset : 0
        house.heard(
            by: name, in: room, identifier, from: beacon, rssi: Double(rssi) + offset,
            isSmoothed: receiver?.isSmoothed ?? false, at: now.instant)
        return []
    }

    /// Handles an event of the region monitor.
    mutating func happened(_ kind: Event.Kind, at now: Moment) -> [Output] {
        guard hasEngine else { return [] }
        switch kind {
        case .didEnterRegion(let region, _):
            let earlier = arrivedInEarlierRun(region, at: now)
            guard announcements.happened(.inside, of: region, isDeciding: election.isDeciding) else { return earlier }
            return earlier + announced(house.entered(region, isAlone: !hasOtherRadios, at: now.instant), at: now)
        case .didExitRegion(let region):
            let earlier = arrivedInEarlierRun(region, at: now)
            guard announcements.happened(.outside, of: region, isDeciding: election.isDeciding) else { return earlier }
            return earlier + announced(house.left(region), at: now)
        case .didDetermineState(let region, let state):
            return arrivedInEarlierRun(region, at: now) + determined(region, state, at: now)
        default: return []
        }
    }

    /// Handles the present state of a region, which may be that before.
    mutating func determined(_ identifier: String, _ state: RegionState, at now: Moment) -> [Output] {
        guard hasEngine, let position = positions[identifier] else { return [] }
        var value = states[identifier] ?? RegionValue(identifier: identifier)
        if value.state != state || value.since == nil {
            (value.state, value.since) = (state, now.date.map(\.wholeMilliseconds))
            if state != .unknown { value.lastKnown = state }
            if !isAnnouncing, let published = publishedRegions[regions[position].level] {
                value.adoptTime(of: published)
            }
            states[identifier] = value
        }
        // A yielded hub decides for itself.
        guard announcements.isSpeaking else { return [] }
        announcements.determined(state, of: identifier, isDeciding: election.isDeciding)
        if state == .inside { distances.becameInside(at: now.instant) }
        let news = announced(house.determined(identifier, state, at: now.instant), at: now)
        return news + published(identifier)
    }

    /// Publishes a region's value if it has changed.
    private mutating func published(_ identifier: String) -> [Output] {
        let room = house.room(of: identifier)
        if states[identifier]?.room != room { states[identifier]?.room = room }
        guard isHolding, let position = positions[identifier] else { return [] }
        return [.publish(value(of: regions[position]))] + occupancyDetermined()
    }

    /// Carries out the house's decisions. Nothing is decided for the house while another hub does.
    mutating func announced(_ items: [HouseRegions.Item], at now: Moment) -> [Output] {
        guard isAnnouncing else { return [] }
        return items.flatMap { item -> [Output] in
            var outputs: [Output] = []
            switch item.news {
            case .didEnterRegion(let room, _): expect(.enter, item.region, room, at: now)
            case .didExitRegion: expect(.exit, item.region, nil, at: now)
            case .didDetermineRoom: outputs = published(item.region)
            case .didDetermineState: break
            }
            return outputs + [.happened(.house(region: item.region, item.news), at: now.wall)]
        }
    }

    /// Handles that an event will be published as soon as this node's hub of events has recorded it.
    private mutating func expect(_ kind: HouseEvent.Kind, _ region: String, _ room: String?, at now: Moment) {
        announcements.expected(kind, of: region, in: room, at: now.date?.wholeMilliseconds)
    }

    /// Publishes an event of the house that is recorded.
    mutating func recorded(_ news: HouseNews, of identifier: String, at now: Int64) -> [Output] {
        guard news.isOwned,
            let event = announcements.recorded(of: identifier, isDeciding: election.isDeciding, at: now),
            let topic = eventTopic(of: identifier)
        else { return [] }
        return [.publish(.event(topic, Wire.event(event).utf8))]
    }

    /// Handles PUBACK for an event.
    mutating func acknowledged(_ publication: MQTTPublication) -> [Output] {
        guard case .event(let level) = topics.subject(of: publication.topic), let identifier = identifiers[level],
            announcements.acknowledged(of: identifier, where: { Array(Wire.event($0).utf8) == publication.payload })
        else { return [] }
        return [.memoryChanged]
    }

    /// Handles that there was no room for the latest output. A report counts as lost; an event is never recorded.
    mutating func dropped(_ output: Output) {
        if case .reported(let radio, _) = output {
            radios.reportDropped(of: radio)
            receivers.reportDropped(of: radio)
        }
        guard case .happened(.house(let identifier, let news), _) = output, news.isOwned else { return }
        announcements.dropped(of: identifier)
    }

    /// Returns the message of a region's state.
    func value(of region: Region) -> MQTTPublication {
        var value = states[region.identifier] ?? RegionValue(identifier: region.identifier)
        value.room = house.room(of: region.identifier)
        let announcement = announcements[region.identifier]
        (value.number, value.author) = (announcement?.number ?? 0, node)
        if let announcement, announcement.state != .unknown { value.lastKnown = announcement.state }
        return .value(
            topics.region(name(region.level)), Wire.region(value, region.region.region.constraint).utf8,
            isRefreshed: true)
    }

    /// Returns the message of the regions' definitions, for standbys.
    var definitionsValue: MQTTPublication {
        let list = regions.map(\.region.definition).joined(separator: ",")
        return .value(topics.regions, Array("{\"regions\":[\(list)]}".utf8))
    }

    var wantedValue: MQTTPublication {
        .value(topics.wanted, wantedBeacons.payload.utf8)
    }

    var wantedBeacons: WantedBeacons { WantedBeacons(regions.map(\.region.region)) }

    /// As the hub, publishes the occupancy of the house if it has changed.
    mutating func occupancyDetermined() -> [Output] {
        guard isHolding else { return [] }
        let values = regions.map { states[$0.identifier] ?? RegionValue(identifier: $0.identifier) }
        var rooms: [String: Int] = [:]
        for value in values where value.state == .inside {
            if let room = value.room { rooms[TopicName(room).part, default: 0] += 1 }
        }
        let value = Array(
            Wire.house(
                online: nodes.online.count, hub: node, Occupancy(values.map(\.state)), rooms: rooms
            ).utf8)
        guard value != houseValue else { return [] }
        houseValue = value
        return [.publish(.value(topics.house, value, isRefreshed: true))]
    }
}

/// A region as a hub decides it.
package struct RegionValue: Hashable, Sendable {
    package var identifier: String
    package var state = RegionState.unknown
    /// The last state other than unknown; `nil` if there was none.
    package var lastKnown: RegionState?
    /// The room of the beacon; `nil` if it is unknown, or no beacon is inside.
    package var room: String?
    /// The time of the last change by the hub's wall clock: nanoseconds since the Unix epoch, in whole milliseconds. For people: no
    /// decision depends on it. `nil` if the clock was not set.
    package var since: Int64?
    /// The count of the region's changes, and the node that decided the last one; `nil` for a message of an earlier version.
    package var number: UInt64 = 0
    package var author: String?

    /// The last known state.
    var known: RegionState? { state == .unknown ? lastKnown : state }

    /// Takes over the time of the same state as another node determined it.
    mutating func adoptTime(of published: RegionValue) {
        if published.state == state { since = published.since ?? since }
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

extension Int64 {
    /// Nanoseconds, rounded down to whole milliseconds.
    fileprivate var wholeMilliseconds: Int64 {
        let rest = self % 1_000_000
        return addingClamped(rest < 0 ? -1_000_000 - rest : -rest)
    }
}
