import OkaeriPlumbing
import RegionMonitoring

/// An enter or exit event of the whole house. It is published once and not retained.
struct HouseEvent: Hashable, Sendable {
    enum Kind: String, Hashable, Sendable, Codable {
        case enter, exit
    }

    var kind: Kind
    /// The room of an arrival; `nil` for an exit, or if no room is known.
    var room: String?
    /// The time by the hub's wall clock: nanoseconds since the Unix epoch; `nil` if the clock was not set.
    var time: Int64?
    /// The number of the change among those of its region. A broker may deliver a message twice.
    var number: UInt64

    var state: RegionState { kind == .enter ? .inside : .outside }
}

/// The events that this node announces, from the decision to the broker's acknowledgement, by the region's identifier.
///
///     decided → expected    the room of an arrival is known, or all radios were heard
///     expected → sent       this node's hub of events has recorded it, and the client has it
///     sent → (none)         the broker has acknowledged it (PUBACK), or it is older than a minute
///
/// After a restart a hub publishes the last ``HouseMemory/waitingLimit`` expected and sent events of a region, at most a minute old. An event
/// from before the clock was set has no age, and is not among them.
struct UndeliveredEvents: Sendable {
    private struct Sent: Sendable {
        var event: HouseEvent
        /// The time at which it was given to the client; `nil`: by an earlier run, so that this client does not have it.
        var at: Int64?

        /// The age up to which an event is published, as the client does.
        private static let longestAge = 60 * Nanoseconds.second

        func isFresh(at now: Moment) -> Bool { age(at: now).map { (0..<Self.longestAge).contains($0) } ?? false }

        /// Returns its age; `nil` if a clock was not set.
        private func age(at now: Moment) -> Int64? {
            if let at { return now.instant.subtractingClamped(at) }
            guard let time = event.time, let date = now.date else { return nil }
            return date.subtractingClamped(time)
        }
    }

    /// The maximum number of a region's events that wait for a slow disk, or for the broker.
    private static let limit = 64

    /// The numbers of the events that are decided.
    private var decided: [String: [UInt64]] = [:]
    /// The numbers of the arrivals that an earlier run had decided, and ended before their rooms were known.
    private var arriving: [String: [UInt64]] = [:]
    private var expected: [String: [HouseEvent]] = [:]
    /// The numbers of expected events that were given up: their recordings come before those of the others.
    private var skipped: [String: Int] = [:]
    private var sent: [String: [Sent]] = [:]

    // MARK: Over a restart

    /// The numbers of the arrivals that are decided, for a restart.
    var arrivals: [String: [UInt64]] {
        arriving.merging(decided) { $0 + $1 }.filter { !$0.value.isEmpty }
    }

    /// The events that the broker may not have, for a restart.
    var waiting: [String: [HouseEvent]] {
        sent.mapValues { $0.map(\.event) }.merging(expected) { $0 + $1 }
    }

    mutating func restored(arrivals: [String: [UInt64]], waiting: [String: [HouseEvent]]) {
        arriving = arrivals
        sent = waiting.mapValues { $0.map { Sent(event: $0, at: nil) } }
    }

    // MARK: From the decision to the acknowledgement

    /// Handles new regions: the events of others are given up.
    mutating func configured(_ isKept: (String) -> Bool) {
        decided = decided.filter { isKept($0.key) }
        arriving = arriving.filter { isKept($0.key) }
        for (region, events) in expected where !isKept(region) {
            skipped[region, default: 0] += events.count
            expected[region] = nil
        }
        sent = sent.filter { isKept($0.key) }
    }

    mutating func decided(_ number: UInt64, of region: String) {
        decided[region, default: []].append(number)
    }

    /// Decides the arrivals of an earlier run anew.
    ///
    /// - Returns: Their count.
    mutating func arrivedInEarlierRun(_ region: String) -> Int {
        guard let found = arriving.removeValue(forKey: region) else { return 0 }
        decided[region] = found + (decided[region] ?? [])
        return found.count
    }

    /// Handles that another node has announced a region up to a number, or may have: its arrivals of an earlier run are not announced twice.
    mutating func arrivalsAnnounced(of region: String, upTo number: UInt64 = .max) {
        let left = (arriving[region] ?? []).filter { $0 > number }
        arriving[region] = left.isEmpty ? nil : left
    }

    /// Handles that the first event that is decided is published as soon as it is recorded.
    mutating func expected(_ kind: HouseEvent.Kind, of region: String, in room: String?, at time: Int64?) {
        guard var numbers = decided[region], !numbers.isEmpty else { return }
        let event = HouseEvent(kind: kind, room: room, time: time, number: numbers.removeFirst())
        decided[region] = numbers.isEmpty ? nil : numbers
        let events = (expected[region] ?? []) + [event]
        expected[region] = events.suffix(Self.limit)
        if events.count > Self.limit { skipped[region, default: 0] += 1 }
    }

    /// Handles that the first event that is expected is recorded.
    ///
    /// - Returns: The event; `nil` if it was given up.
    mutating func recorded(of region: String) -> HouseEvent? {
        if let count = skipped[region] {
            skipped[region] = count > 1 ? count - 1 : nil
            return nil
        }
        guard var events = expected[region] else { return nil }
        defer { expected[region] = events.isEmpty ? nil : events }
        return events.removeFirst()
    }

    /// Handles that the last event that is expected is never recorded.
    mutating func dropped(of region: String) {
        guard var events = expected[region] else { return }
        events.removeLast()
        expected[region] = events.isEmpty ? nil : events
    }

    /// Handles that the client has an event.
    mutating func sent(_ event: HouseEvent, of region: String, at now: Int64) {
        sent[region] = (sent[region] ?? []).suffix(Self.limit - 1) + [Sent(event: event, at: now)]
    }

    /// Handles that the broker has an event.
    ///
    /// - Parameter isSame: Whether an event is the one that the broker has.
    /// - Returns: Whether this node had published it.
    mutating func acknowledged(of region: String, where isSame: (HouseEvent) -> Bool) -> Bool {
        guard var events = sent[region], let index = events.firstIndex(where: { isSame($0.event) }) else {
            return false
        }
        events.remove(at: index)
        sent[region] = events.isEmpty ? nil : events
        return true
    }

    /// Handles that another node decides. An expected event is still recorded, and then not published.
    mutating func yielded() { (decided, arriving, sent) = ([:], [:], [:]) }

    // MARK: At a connection

    /// Handles that the node announces over a new connection: the client has given up what is too old.
    mutating func began(at now: Moment) {
        sent = sent.mapValues { $0.filter { $0.isFresh(at: now) } }.filter { !$0.value.isEmpty }
    }

    /// Handles that another node has announced a region.
    ///
    /// - Returns: The events that are still to be published, in place of those that the client has; `nil` if it has none.
    mutating func announced(_ state: RegionState, _ number: UInt64, of region: String, at now: Moment) -> [HouseEvent]?
    {
        guard sent[region] != nil else { return nil }
        // Subscribers have received the other node's state. An event with the same state would repeat it.
        var known = state
        return sentAgain(of: region, at: now) { event in
            guard event.number > number, event.state != known else { return false }
            known = event.state
            return true
        }
    }

    /// Returns the regions with events of an earlier run, and for each the events that are published now, with those of this run behind
    /// them. The broker may have one whose acknowledgement was not stored: its number is the same.
    mutating func ofEarlierRun(at now: Moment) -> [(region: String, events: [HouseEvent])] {
        sent.filter { $0.value.contains { $0.at == nil } }.keys.sorted().map { region in
            (region, sentAgain(of: region, at: now) { _ in true })
        }
    }

    private mutating func sentAgain(
        of region: String, at now: Moment, where isWanted: (HouseEvent) -> Bool
    ) -> [HouseEvent] {
        let events = (sent[region] ?? []).filter { $0.isFresh(at: now) }.map(\.event).filter(isWanted)
        sent[region] = events.isEmpty ? nil : events.map { Sent(event: $0, at: now.instant) }
        return events
    }
}

extension Moment {
    /// 2026-01-01, before the first release. A Raspberry Pi has no clock of its own and starts at an earlier date.
    private static let firstRelease: Int64 = 1_767_225_600_000_000_000

    /// The wall clock; `nil` if it was not set yet.
    var date: Int64? { wall >= Self.firstRelease ? wall : nil }
}
