import OkaeriPlumbing
import OkaeriPresence

/// The radios that report to this hub.
struct RadioStreams: Sendable {
    private var streams: [String: HeardStream] = [:]
    /// The limits of the messages of nodes, by name.
    private var admissions: [String: HeardAdmission] = [:]
    /// The time from which on a radio may be away, or the maximum. May be early, is never late: each message needs it.
    private var awayAt = Int64.max

    var nextDeadline: Int64? { awayAt < .max ? awayAt : nil }

    /// Whether a radio is present.
    var isAnyPresent: Bool { streams.contains { !$0.value.isAway } }

    var names: [String] { streams.keys.sorted() }

    subscript(name: String) -> HeardStream? { streams[name] }

    /// Whether a message of a node is examined: each has its share of this hub's time.
    mutating func admits(_ name: String, at now: Int64) -> Bool {
        // The names are those of online nodes, which are bounded; those of nodes that left are not stored for ever.
        if admissions[name] == nil, admissions.count >= HouseNodes.limit { admissions = [:] }
        return admissions[name, default: HeardAdmission()].admits(at: now)
    }

    /// Whether there is room for a radio.
    func hasRoom(for name: String) -> Bool { streams[name] != nil || streams.count < HouseNodes.limit }

    /// The radio that has been away for longest; `nil` while all are present.
    var longestAway: String? {
        streams.filter(\.value.isAway).min { $0.value.lastArrival < $1.value.lastArrival }?.key
    }

    /// Handles a message of a radio.
    mutating func received(_ heard: HeardMessage, from name: String, at now: Int64) -> RadioReport {
        let report = streams[name, default: HeardStream(at: now)].received(heard, at: now)
        awayAt = min(awayAt, streams[name]?.awayAt ?? .max)
        return report
    }

    /// Handles that a radio's node is offline.
    ///
    /// - Returns: Whether it was present.
    mutating func left(_ name: String) -> Bool {
        guard let radio = streams[name], !radio.isAway else { return false }
        streams[name]?.becameAway()
        return true
    }

    mutating func removed(_ name: String) { streams[name] = nil }

    /// Handles that there was no room for a report: it counts as lost.
    mutating func reportDropped(of name: String) { streams[name]?.wasDropped() }

    /// Handles the passing of time.
    ///
    /// - Returns: The radios whose reports do not come any more.
    mutating func advance(to now: Int64) -> [String] {
        guard awayAt <= now else { return [] }
        awayAt = streams.values.lazy.compactMap(\.awayAt).filter { $0 > now }.min() ?? .max
        return streams.filter { $0.value.awayAt.map { $0 <= now } ?? false }.keys.sorted()
    }
}
