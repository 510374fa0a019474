import OkaeriEvents
import OkaeriMQTT
import OkaeriPlumbing
import RegionMonitoring
import OkaeriRooms

/// The last known states that were announced for the house, by the hub or a standby. A node that begins to decide announces the
/// regions whose state is another one.
extension BrokerCore {
    /// The last known state of a region that was announced, and its number: the count of changes since the first one.
    struct Announcement: Hashable, Sendable {
        var state: RegionState
        var number: UInt64
        /// Whether this node has announced it.
        var isOwn = false
    }

    /// Whether a node announces the states and events of its engine.
    ///
    ///     silent → speaking   the engine has taken over the announced states; at a hub also after ten seconds without a broker
    ///     speaking → silent   a standby yields
    enum Voice: Sendable, Equatable {
        case silent(until: Int64?)
        case speaking
    }

    /// The time in which a hub with a standby learns from the broker what was announced while it was off.
    private static let patience = 10 * Nanoseconds.second

    /// The largest distance of a number at the broker from the known one: a change each second for eleven days. After a larger one all
    /// further changes could have the same number.
    private static let numberDistance: UInt64 = 1_000_000

    /// The largest number of a state on the disk: every reader of JSON has it exactly.
    private static let largestNumber: UInt64 = 1 << 53

    /// The maximum number of standbys whose names are stored.
    private static let standbyLimit = 16

    var isStandby: Bool { settings.kind == .standby }

    /// Whether an event of the region monitor is not passed to this node's other consumers.
    func isSilent(about kind: Event.Kind) -> Bool {
        guard voice != .speaking else { return false }
        return switch kind {
        case .didEnterRegion, .didExitRegion, .didDetermineState, .didRangeBeacons, .rangingBeaconsDidFail: true
        default: false
        }
    }

    /// Whether this node decides for the house and announces it.
    var isAnnouncing: Bool { voice == .speaking && election.isDeciding }

    // MARK: Over a restart

    var memory: HouseMemory {
        HouseMemory(
            announced: announcements.mapValues {
                .init(state: $0.state, number: $0.number, isOwn: $0.isOwn ? true : nil)
            },
            standbys: standbys.sorted(),
            waiting: events.waiting.mapValues { $0.suffix(HouseMemory.waitingLimit).map(HouseMemory.Waiting.init) },
            arriving: events.arrivals.mapValues { Array($0.suffix(HouseMemory.waitingLimit)) })
    }

    /// Continues from the memory of an earlier run. Call it before any other input.
    ///
    /// - Parameter isStale: Whether the states are too old to be known.
    mutating func restored(_ memory: HouseMemory, isStale: Bool) {
        announcements = memory.announced.filter { positions[$0.key] != nil }.mapValues {
            Announcement(
                state: isStale ? .unknown : $0.state, number: min($0.number, Self.largestNumber),
                isOwn: $0.isOwn ?? false)
        }
        standbys = Set(memory.standbys.prefix(Self.standbyLimit))
        events = UndeliveredEvents()
        guard isHub else { return }
        if !standbys.isEmpty { voice = .silent(until: nil) }
        guard !isStale else { return }
        let arrivals = memory.arriving.filter { positions[$0.key] != nil }.mapValues {
            $0.suffix(HouseMemory.waitingLimit).map { min($0, Self.largestNumber) }
        }
        let waiting = memory.waiting.filter { positions[$0.key] != nil }.mapValues {
            $0.suffix(HouseMemory.waitingLimit).map(\.event)
        }
        events.restored(arrivals: arrivals, waiting: waiting)
    }

    /// Announces the arrivals of a region that an earlier run had decided, and ended before their rooms were known.
    mutating func arrivedInEarlierRun(_ identifier: String, at now: Moment) -> [Output] {
        guard isAnnouncing else { return [] }
        let arrival = HouseRegions.Item(identifier, .didEnterRegion(room: nil, isOwner: true))
        return announced(Array(repeating: arrival, count: events.arrivedInEarlierRun(identifier)), at: now)
    }

    /// Begins the time for which a hub waits for the broker.
    mutating func waitBegan(at now: Int64) {
        if isHub, case .silent(until: nil) = voice { voice = .silent(until: now.addingClamped(Self.patience)) }
    }

    var voiceDeadline: Int64? { if case .silent(let until) = voice { until } else { nil } }

    mutating func voiceAdvanced(to now: Moment) -> [Output] {
        guard let due = voiceDeadline, due <= now.instant else { return [] }
        if election.state == .proving, let begin = election.actsAt {
            // The states that the standby has announced are taken over at the end of the proof.
            voice = .silent(until: begin.addingClamped(Nanoseconds.second))
            return []
        }
        voice = .silent(until: nil)
        // What the standby has announced is known, though the connection was lost within the proof.
        let (_, before, after) = isHub ? publishedRegionsAdopted(at: now) : ([], [], [])
        // A standby may have announced the arrivals of the earlier run.
        for region in positions.keys { events.arrivalsAnnounced(of: region) }
        return before + after + takeOver(of: Set(positions.keys), at: now)
    }

    // MARK: What others have announced

    /// Handles the description of a node: a hub remembers its standbys.
    mutating func standbyDescribed(_ name: String, _ card: NodeCard) {
        guard card.kind == .standby else {
            standbys.remove(name)
            return
        }
        if standbys.count < Self.standbyLimit { standbys.insert(name) }
    }

    /// Handles a region's state at the broker at a standby. The broker may have lost data: a smaller number that it retained is old.
    mutating func publishedRegionFound(_ published: RegionValue, isRetained: Bool) {
        guard positions[published.identifier] != nil, let state = published.known, isCredible(published) else { return }
        let known = announcements[published.identifier]
        if let known, isRetained, published.number < known.number { return }
        announcements[published.identifier] = Announcement(
            state: state, number: published.number, isOwn: published.author == node)
        states[published.identifier]?.adoptTime(of: published)
    }

    /// Repeats what this standby has announced and the broker has lost: the hub adopts it when it comes back.
    func announcementsRepeated() -> [Output] {
        guard isStandby else { return [] }
        return regions.compactMap { region in
            guard let known = announcements[region.identifier], known.isOwn, known.state != .unknown,
                known.number > publishedRegions[region.level]?.number ?? 0
            else { return nil }
            var value = RegionValue(identifier: region.identifier)
            (value.lastKnown, value.number, value.author) = (known.state, known.number, node)
            let topic = topics.region(name(region.level))
            return .publish(.value(topic, Wire.region(value, region.region.region.constraint).utf8))
        }
    }

    /// Whether a node can have announced as many changes since the last known one.
    private func isCredible(_ published: RegionValue) -> Bool {
        published.number <= (announcements[published.identifier]?.number ?? 0) + Self.numberDistance
    }

    /// Takes over what the broker has when this hub begins to decide, and publishes the events that it has not.
    ///
    /// - Returns: the regions whose announcement is another one, and the outputs before and after this node is online.
    mutating func announcementsAdopted(at now: Moment) -> (later: Set<String>, before: [Output], after: [Output]) {
        let (later, before, after) = publishedRegionsAdopted(at: now)
        let earlier = eventsOfEarlierRun(at: now)
        publishedRegions = [:]
        events.began(at: now)
        return (later, before + earlier.before, after + earlier.after)
    }

    /// Takes over what a standby has announced since this hub's last announcement. Its events that wait are not announced twice.
    private mutating func publishedRegionsAdopted(
        at now: Moment
    ) -> (later: Set<String>, before: [Output], after: [Output]) {
        var later: Set<String> = []
        var (before, after): ([Output], [Output]) = ([], [])
        for (level, published) in publishedRegions.sorted(by: { $0.key < $1.key }) where isCredible(published) {
            guard positions[published.identifier] != nil, let state = published.known, let author = published.author,
                author == node || standbys.contains(author)
            else { continue }
            if author != node { events.arrivalsAnnounced(of: published.identifier, upTo: published.number) }
            if author != node,
                let waiting = events.announced(state, published.number, of: published.identifier, at: now)
            {
                let topic = topics.event(name(level))
                before.append(.release(topic: topic))
                after += waiting.map { .publish(.event(topic, Wire.event($0).utf8)) }
            }
            let known = announcements[published.identifier] ?? Announcement(state: .unknown, number: 0)
            // With the same number, hub and standby have decided without a connection. Subscribers have received the standby's state.
            guard
                published.number > known.number
                    || published.number == known.number && author != node && state != known.state
            else { continue }
            if author == node {
                // This hub's disk was lost.
                announcements[published.identifier] = Announcement(state: known.state, number: published.number)
            } else {
                announcements[published.identifier] = Announcement(state: state, number: published.number)
                later.insert(published.identifier)
            }
        }
        return (later, before, after)
    }

    private mutating func eventsOfEarlierRun(at now: Moment) -> (before: [Output], after: [Output]) {
        var (before, after): ([Output], [Output]) = ([], [])
        for (region, events) in events.ofEarlierRun(at: now) {
            guard let position = positions[region] else { continue }
            let topic = topics.event(name(regions[position].level))
            before.append(.release(topic: topic))
            after += events.map { .publish(.event(topic, Wire.event($0).utf8)) }
        }
        return (before, after)
    }

    // MARK: The engine

    /// Returns the outputs that give the announced states of regions to this node's consumers and to the engine, which announces what
    /// differs.
    func takeOver(of regions: Set<String>, at now: Moment) -> [Output] {
        guard !regions.isEmpty else { return [] }
        let states = regions.sorted().map { ($0, announcements[$0]?.state ?? .unknown) }
        return states.map { .happened(.house(region: $0, .didDetermineState($1)), at: now.wall) }
            + [.takeOver(Dictionary(uniqueKeysWithValues: states))]
    }

    /// Handles that the engine has taken over the announced states. Its events are announced from now on.
    mutating func tookOver() -> [Output] {
        guard isHub || isHolding else { return [] }
        voice = .speaking
        return []
    }

    /// Handles that an event or a known state is announced.
    mutating func changeAnnounced(_ state: RegionState, of region: String) {
        announcements[region] = Announcement(
            state: state, number: (announcements[region]?.number ?? 0) + 1, isOwn: true)
    }
}

/// The announcements of a node for the house, over a restart.
package struct HouseMemory: PersistedMemory {
    package struct Region: Codable, Sendable, Equatable {
        var state: RegionState
        var number: UInt64
        /// Whether the node itself has announced it; `nil`: it has not.
        var isOwn: Bool?
    }

    /// The last known state of each region that was announced, with its number.
    var announced: [String: Region] = [:]
    /// The names of the standbys.
    var standbys: [String] = []
    /// The events that wait for the connection to the broker, by the region's identifier.
    var waiting: [String: [Waiting]] = [:]

    /// The numbers of the arrivals that wait for their rooms, by the region's identifier.
    var arriving: [String: [UInt64]] = [:]

    /// The maximum number of events of a region that wait.
    static let waitingLimit = 8

    struct Waiting: Codable, Sendable, Equatable {
        var kind: HouseEvent.Kind
        var room: String?
        var time: Int64?
        var number: UInt64

        init(_ event: HouseEvent) {
            (kind, room, time, number) = (event.kind, event.room, event.time, event.number)
        }

        var event: HouseEvent { HouseEvent(kind: kind, room: room, time: time, number: number) }
    }

    package init() {}

    init(
        announced: [String: Region], standbys: [String], waiting: [String: [Waiting]] = [:],
        arriving: [String: [UInt64]] = [:]
    ) {
        (self.announced, self.standbys, self.waiting, self.arriving) = (announced, standbys, waiting, arriving)
    }

    private enum Key: String, CodingKey { case house }

    private struct Members: Codable {
        var announced: [String: Region]
        var standbys: [String]
        var waiting: [String: [Waiting]]?
        var arriving: [String: [UInt64]]?
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        guard let members = try container.decodeIfPresent(Members.self, forKey: .house) else { return }
        (announced, standbys, waiting) = (members.announced, members.standbys, members.waiting ?? [:])
        arriving = members.arriving ?? [:]
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        guard !announced.isEmpty || !standbys.isEmpty else { return }
        let waiting = waiting.isEmpty ? nil : waiting
        let arriving = arriving.isEmpty ? nil : arriving
        try container.encode(
            Members(announced: announced, standbys: standbys, waiting: waiting, arriving: arriving), forKey: .house)
    }
}
