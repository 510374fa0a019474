import OkaeriEvents
import OkaeriMQTT
import OkaeriPlumbing
import OkaeriRooms
import RegionMonitoring

/// The messages and outputs of the announcements, see ``Announcements``.
extension BrokerCore {
    var isStandby: Bool { settings.kind == .standby }

    /// Whether this node decides for the house and announces it.
    var isAnnouncing: Bool { announcements.isSpeaking && election.isDeciding }

    var memory: HouseMemory { announcements.memory }

    /// Continues from the memory of an earlier run. Call it before any other input.
    ///
    /// - Parameter isStale: Whether the states are too old to be known.
    mutating func restored(_ memory: HouseMemory, isStale: Bool) {
        var memory = memory
        memory.standbys.removeAll { !settings.uses($0) }
        announcements.restored(memory, isStale: isStale)
    }

    /// Announces the arrivals of a region that an earlier run had decided, and ended before their rooms were known.
    mutating func arrivedInEarlierRun(_ identifier: String, at now: Moment) -> [Output] {
        guard isAnnouncing else { return [] }
        let arrival = HouseRegions.Item(identifier, .didEnterRegion(room: nil, isOwner: true))
        return announced(Array(repeating: arrival, count: announcements.arrivedInEarlierRun(identifier)), at: now)
    }

    /// The regions at the broker, in the order of their levels.
    var regionsAtBroker: [RegionValue] { publishedRegions.sorted { $0.key < $1.key }.map(\.value) }

    mutating func announcementsAdvanced(to now: Moment) -> [Output] {
        let proof = election.state == .proving ? election.actsAt : nil
        guard let adoption = announcements.advance(to: now, proof: proof, published: regionsAtBroker) else { return [] }
        return adopted(adoption, at: now)
    }

    /// Carries out an adoption at a node that decides already, or without a broker.
    func adopted(_ adoption: Announcements.Adoption, at now: Moment) -> [Output] {
        released(adoption) + publishedAgain(adoption) + takeOver(of: adoption, at: now)
    }

    /// Handles a region's state at the broker, at a standby.
    mutating func publishedRegionFound(_ published: RegionValue, isRetained: Bool) {
        guard announcements.found(published, isRetained: isRetained) else { return }
        states[published.identifier]?.adoptTime(of: published)
    }

    /// Repeats what this standby has announced and the broker has lost.
    func announcementsRepeated() -> [Output] {
        regions.compactMap { region in
            let published = publishedRegions[region.level]
            return announcements.announcementLost(of: region.identifier, published: published).map { value in
                let topic = topics.region(name(region.level))
                return .publish(.value(topic, Wire.region(value, region.region.region.constraint).utf8))
            }
        }
    }

    /// Returns the topic of a region's events; `nil` if the region is not configured.
    func eventTopic(of identifier: String) -> String? {
        positions[identifier].map { topics.event(name(regions[$0].level)) }
    }

    /// Returns the outputs that have the client drop its events of the regions with events to publish again.
    func released(_ adoption: Announcements.Adoption) -> [Output] {
        adoption.undelivered.compactMap { eventTopic(of: $0.region).map { .release(topic: $0) } }
    }

    /// Returns the outputs that publish the events again.
    func publishedAgain(_ adoption: Announcements.Adoption) -> [Output] {
        adoption.undelivered.flatMap { region, events in
            guard let topic = eventTopic(of: region) else { return [Output]() }
            return events.map { .publish(.event(topic, Wire.event($0).utf8)) }
        }
    }

    /// Returns the outputs that give the announced states of regions to this node's consumers and to the engine, which announces what
    /// differs.
    func takeOver(of adoption: Announcements.Adoption, at now: Moment) -> [Output] {
        guard !adoption.changed.isEmpty else { return [] }
        let states = announcements.states(of: adoption.changed)
        return states.map { .happened(.house(region: $0, .didDetermineState($1)), at: now.wall) }
            + [.takeOver(Dictionary(states, uniquingKeysWith: { $1 }))]
    }

    /// Handles that the engine has taken over the announced states.
    mutating func tookOver() -> [Output] {
        announcements.tookOver(isHolding: isHolding)
        return []
    }
}
