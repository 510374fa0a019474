import OkaeriEvents
import OkaeriPlumbing
import OkaeriRooms
import RegionMonitoring

/// The states that the hub and its standbys have announced for the house, and whether this node announces now. A node that begins to
/// decide announces the regions whose state is another one.
///
/// A number counts the changes of a region since its first one. The larger number is the later announcement. With the same number, hub
/// and standby have decided without a connection; the subscribers have received the standby's state.
struct Announcements: Sendable {
    /// The last known state of a region that was announced, and its number.
    struct Announcement: Hashable, Sendable {
        var state: RegionState
        var number: UInt64
        /// Whether this node has announced it.
        var isOwn = false
    }

    /// The announcements that a node takes over when it begins to decide.
    struct Adoption: Sendable {
        /// The regions whose announced states the engine takes over.
        var changed: Set<String> = []
        /// The events that are published in place of those that the client has, for each region that has some.
        var undelivered: [(region: String, events: [HouseEvent])] = []
    }

    /// Whether a node announces the states and events of its engine.
    ///
    ///     silent → speaking   the engine has taken over the announced states; at a hub also after ten seconds without a broker
    ///     speaking → silent   a standby yields, or loses the connection
    private enum Voice: Sendable, Equatable {
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

    /// The shortest time between two adoptions of a region while this hub decides: each one may lead to an event with its hook.
    private static let adoptionPause = 60 * Nanoseconds.second

    /// The maximum number of standbys whose names are stored.
    private static let standbyLimit = 16

    private let node: String
    private let kind: NodeKind
    /// The identifiers of the configured regions.
    private var regions: Set<String> = []
    /// The last known states that were announced for the house, by identifier. Only those of configured regions.
    private var known: [String: Announcement] = [:]
    /// The events of this node that the broker has not acknowledged yet.
    private var events = UndeliveredEvents()
    /// The standbys of this hub.
    private var standbys: Set<String> = []
    /// The time of the last adoption from a standby while this hub decided, by identifier. Only those of configured regions.
    private var repeatsAdopted: [String: Int64] = [:]
    private var voice: Voice

    init(node: String, kind: NodeKind) {
        (self.node, self.kind) = (node, kind)
        voice = kind == .standby ? .silent(until: nil) : .speaking
    }

    private var isHub: Bool { kind == .hub }

    /// The last announcement of a region; `nil` without one.
    subscript(_ region: String) -> Announcement? { known[region] }

    /// Handles new regions: the announcements of others are deleted.
    mutating func configured(_ regions: Set<String>) {
        self.regions = regions
        known = known.filter { regions.contains($0.key) }
        repeatsAdopted = repeatsAdopted.filter { regions.contains($0.key) }
        events.configured { regions.contains($0) }
    }

    /// The events that the broker may not have, by the region's identifier.
    var waiting: [String: [HouseEvent]] { events.waiting }

    // MARK: Over a restart

    var memory: HouseMemory {
        HouseMemory(
            announced: known.mapValues { .init(state: $0.state, number: $0.number, isOwn: $0.isOwn ? true : nil) },
            standbys: standbys.sorted(),
            waiting: waiting.mapValues { $0.suffix(HouseMemory.waitingLimit).map(HouseMemory.Waiting.init) },
            arriving: events.arrivals.mapValues { Array($0.suffix(HouseMemory.waitingLimit)) })
    }

    /// Continues from the memory of an earlier run. Call it before any other input but the regions.
    ///
    /// - Parameter isStale: Whether the states are too old to be known.
    mutating func restored(_ memory: HouseMemory, isStale: Bool) {
        known = memory.announced.filter { regions.contains($0.key) }.mapValues {
            Announcement(
                state: isStale ? .unknown : $0.state, number: min($0.number, Self.largestNumber),
                isOwn: $0.isOwn ?? false)
        }
        standbys = Set(memory.standbys.prefix(Self.standbyLimit))
        events = UndeliveredEvents()
        guard isHub else { return }
        if !standbys.isEmpty { voice = .silent(until: nil) }
        guard !isStale else { return }
        let arrivals = memory.arriving.filter { regions.contains($0.key) }.mapValues {
            $0.suffix(HouseMemory.waitingLimit).map { min($0, Self.largestNumber) }
        }
        let waiting = memory.waiting.filter { regions.contains($0.key) }.mapValues {
            $0.suffix(HouseMemory.waitingLimit).map(\.event)
        }
        events.restored(arrivals: arrivals, waiting: waiting)
    }

    // MARK: Whether this node announces

    var isSpeaking: Bool { voice == .speaking }

    /// Whether an event of the region monitor is not passed to this node's other consumers.
    func isSilent(about kind: Event.Kind) -> Bool {
        guard !isSpeaking else { return false }
        return switch kind {
        case .didEnterRegion, .didExitRegion, .didDetermineState, .didRangeBeacons, .rangingBeaconsDidFail: true
        default: false
        }
    }

    /// The end of the time for which a hub waits for the broker; `nil` if it does not wait.
    var nextDeadline: Int64? { if case .silent(let until) = voice { until } else { nil } }

    /// Begins the time for which a hub waits for the broker.
    mutating func waitBegan(at now: Int64) {
        if isHub, case .silent(until: nil) = voice { voice = .silent(until: now.addingClamped(Self.patience)) }
    }

    /// Handles the passing of time.
    ///
    /// - Parameters:
    ///   - proof: The end of the proof that this node decides for the site; `nil` if none is under way.
    ///   - published: The regions at the broker.
    /// - Returns: The announcements that the node takes over if the wait for the broker has ended; `nil` otherwise.
    mutating func advance(to now: Moment, proof: Int64?, published: [RegionValue]) -> Adoption? {
        guard let due = nextDeadline, due <= now.instant else { return nil }
        if let proof {
            // The states that the standby has announced are taken over at the end of the proof.
            voice = .silent(until: proof.addingClamped(Nanoseconds.second))
            return nil
        }
        voice = .silent(until: nil)
        // What the standby has announced is known, though the connection was lost within the proof.
        var adoption = adopted(published, at: now)
        // A standby may have announced the arrivals of the earlier run.
        for region in regions { events.arrivalsAnnounced(of: region) }
        adoption.changed = regions
        return adoption
    }

    /// Handles that the engine has taken over the announced states. Its events are announced from now on, but not at a standby that has
    /// yielded meanwhile.
    mutating func tookOver(isHolding: Bool) {
        if isHub || isHolding { voice = .speaking }
    }

    /// Handles that another node decides for the site, or that it is not known which one does.
    mutating func yielded(to other: String?) {
        events.yielded()
        // A hub that has yielded to another one decides for itself.
        if !isHub || other == nil { voice = .silent(until: nil) }
    }

    /// Handles the loss of the connection.
    mutating func disconnected() {
        if kind == .standby { voice = .silent(until: nil) }
    }

    // MARK: What others have announced

    /// Handles the description of a node: a hub stores the names of its standbys.
    mutating func described(_ name: String, isStandby: Bool) {
        guard isHub else { return }
        if !isStandby {
            standbys.remove(name)
        } else if standbys.count < Self.standbyLimit {
            standbys.insert(name)
        }
    }

    /// Handles that a node was deleted.
    mutating func forgot(_ name: String) { standbys.remove(name) }

    /// Handles a region's state at the broker, at a standby. The broker may have lost data: a smaller number that it retained is old.
    ///
    /// - Returns: Whether it is the last announcement.
    mutating func found(_ published: RegionValue, isRetained: Bool) -> Bool {
        guard let state = credibleState(of: published) else { return false }
        if let known = known[published.identifier], isRetained, published.number < known.number { return false }
        known[published.identifier] = Announcement(
            state: state, number: published.number, isOwn: published.author == node)
        return true
    }

    /// Returns the announcement of a region that this standby has made and the broker has lost; `nil` without one. The hub adopts it when
    /// it comes back.
    func announcementLost(of region: String, published: RegionValue?) -> RegionValue? {
        guard kind == .standby, let known = known[region], known.isOwn, known.state != .unknown,
            known.number > published?.number ?? 0
        else { return nil }
        var value = RegionValue(identifier: region)
        (value.lastKnown, value.number, value.author) = (known.state, known.number, node)
        return value
    }

    /// Handles that this node decides for the site from now on.
    ///
    /// - Parameter published: The regions at the broker.
    /// - Returns: The announcements that a hub takes over from its standbys, and the events that the broker does not have.
    mutating func began(_ published: [RegionValue], at now: Moment) -> Adoption {
        var adoption = Adoption()
        if isHub {
            adoption = adopted(published, at: now)
            adoption.undelivered += events.ofEarlierRun(at: now)
            events.began(at: now)
        }
        if !isSpeaking { adoption.changed = regions }
        return adoption
    }

    /// Handles a region's state that another node publishes while this hub decides. A standby that was off when this hub began repeats what
    /// it has announced and the broker has lost, once at the begin of a connection, before it is online.
    mutating func repeated(_ published: RegionValue, at now: Moment) -> Adoption {
        let (region, before) = (published.identifier, known[published.identifier])
        guard isHub, isSpeaking, published.number > before?.number ?? 0,
            now.instant >= repeatsAdopted[region]?.addingClamped(Self.adoptionPause) ?? .min
        else { return Adoption() }
        var adoption = adopted([published], at: now)
        guard known[region] != before else { return adoption }
        repeatsAdopted[region] = now.instant
        // The engine has this state already.
        if known[region]?.state == before?.state { adoption.changed = [] }
        return adoption
    }

    /// Takes over what a standby has announced since this hub's last announcement. Its events that wait are not announced twice.
    private mutating func adopted(_ published: [RegionValue], at now: Moment) -> Adoption {
        var adoption = Adoption()
        for published in published {
            guard let state = credibleState(of: published), let author = published.author else { continue }
            let region = published.identifier
            let known = known[region] ?? Announcement(state: .unknown, number: 0)
            guard author != node else {
                // This hub's disk was lost.
                if published.number > known.number {
                    self.known[region] = Announcement(state: known.state, number: published.number)
                }
                continue
            }
            guard standbys.contains(author) else { continue }
            events.arrivalsAnnounced(of: region, upTo: published.number)
            if let waiting = events.announced(state, published.number, of: region, at: now) {
                adoption.undelivered.append((region, waiting))
            }
            guard published.number > known.number || published.number == known.number && state != known.state else {
                continue
            }
            self.known[region] = Announcement(state: state, number: published.number)
            adoption.changed.insert(region)
        }
        return adoption
    }

    /// Returns the state of a region at the broker; `nil` if the region is not configured, or a node cannot have announced as many changes
    /// since the last known one.
    private func credibleState(of published: RegionValue) -> RegionState? {
        let number = known[published.identifier]?.number ?? 0
        guard regions.contains(published.identifier), published.number <= number + Self.numberDistance else {
            return nil
        }
        return published.known
    }

    // MARK: What this node announces

    /// Returns the announced state of each region for the engine.
    func states(of regions: Set<String>) -> [(region: String, state: RegionState)] {
        regions.sorted().map { ($0, known[$0]?.state ?? .unknown) }
    }

    /// Handles a state of the region monitor.
    ///
    /// - Parameter isDeciding: Whether this node decides for the house.
    mutating func determined(_ state: RegionState, of region: String, isDeciding: Bool) {
        guard isSpeaking, isDeciding, state != .unknown, known[region]?.state != state else { return }
        _ = changed(to: state, of: region)
    }

    /// Handles an event of the region monitor.
    ///
    /// - Parameter isDeciding: Whether this node decides for the house.
    /// - Returns: Whether the node announces events.
    mutating func happened(_ state: RegionState, of region: String, isDeciding: Bool) -> Bool {
        guard isSpeaking else { return false }
        if isDeciding, regions.contains(region) { events.decided(changed(to: state, of: region), of: region) }
        return true
    }

    /// Counts a change of a region.
    ///
    /// - Returns: Its number.
    private mutating func changed(to state: RegionState, of region: String) -> UInt64 {
        let number = (known[region]?.number ?? 0) + 1
        known[region] = Announcement(state: state, number: number, isOwn: true)
        return number
    }

    /// Decides the arrivals of a region anew that an earlier run had decided, and ended before their rooms were known.
    ///
    /// - Returns: Their count.
    mutating func arrivedInEarlierRun(_ region: String) -> Int { events.arrivedInEarlierRun(region) }

    /// Handles that the first event that is decided is published as soon as it is recorded.
    mutating func expected(_ kind: HouseEvent.Kind, of region: String, in room: String?, at time: Int64?) {
        events.expected(kind, of: region, in: room, at: time)
    }

    /// Handles that the first event that is expected is recorded.
    ///
    /// - Parameter isDeciding: Whether this node decides for the house.
    /// - Returns: The event to publish; `nil` if it is not published.
    mutating func recorded(of region: String, isDeciding: Bool, at now: Int64) -> HouseEvent? {
        guard let event = events.recorded(of: region), regions.contains(region), isSpeaking, isDeciding else {
            return nil
        }
        events.sent(event, of: region, at: now)
        return event
    }

    /// Handles that the last event that is expected is never recorded.
    mutating func dropped(of region: String) { events.dropped(of: region) }

    /// Handles that the broker has an event.
    ///
    /// - Parameter isSame: Whether an event is the one that the broker has.
    /// - Returns: Whether this node had published it.
    mutating func acknowledged(of region: String, where isSame: (HouseEvent) -> Bool) -> Bool {
        events.acknowledged(of: region, where: isSame)
    }
}
