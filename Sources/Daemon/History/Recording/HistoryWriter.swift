import FoundationEssentials
package import Logging
package import OkaeriConfiguration
package import OkaeriEvents
package import OkaeriPlumbing
import SystemPackage

/// Writes the history whatever the disk does: what cannot be written is logged once, and written later.
package struct HistoryWriter: EventWriter {
    private let directory: String
    private let settings: @Sendable () -> Configuration.History
    private let durability: HistoryStore.Durability
    private let logger: Logger

    private var store: HistoryStore?

    private var events: [HistoryEvent] = []
    private var minutes: [SignalMinute] = []
    private var silences: [SilenceRecord] = []

    /// The number of events that were dropped.
    private var lost = 0

    /// The messages logged since writing began to fail.
    private var said: Set<String> = []

    /// The present of the run; `nil` in a replay, where what is recorded is the only clock.
    private let clock: (@Sendable () -> Moment)?

    private let signInterval: Duration

    /// The times of the next attempt after a failure, and of the next sign of life.
    private var retry, nextSign: ContinuousClock.Instant?

    package var nextAttempt: ContinuousClock.Instant? { retry ?? nextSign }

    /// The reason why the last attempt failed, if it did.
    package private(set) var problem: String?

    /// The delay after a failure. A disk that takes nothing is not worn by it.
    private static let retryInterval = Duration.seconds(10)

    /// The number of events stored for a disk that recovers: weeks of a home's events.
    private static let backlog = 10_000

    /// Minutes are written together: an SD card wears by the number of writes.
    private static let minutesTogether = 5 * SignalMinute.length

    package init(
        directory: String, settings: @autoclosure @escaping @Sendable () -> Configuration.History,
        durability: HistoryStore.Durability, clock: (@Sendable () -> Moment)? = nil,
        signInterval: Duration = Moment.signInterval, logger: Logger
    ) {
        self.directory = directory
        self.settings = settings
        self.durability = durability
        self.clock = clock
        self.signInterval = signInterval
        self.logger = logger
    }

    /// Creates the writer of a replay's history, which a power cut does not endanger; `nil` if nothing is stored.
    package static func ofReplay(
        directory: String, settings: Configuration.History, logger: Logger
    ) -> HistoryWriter? {
        guard settings.keep > 0 else { return nil }
        return HistoryWriter(directory: directory, settings: settings, durability: .process, logger: logger)
    }

    /// Records what happened: in the database when this returns, unless the disk fails.
    package mutating func record(
        _ happened: [Event], _ heard: [SignalMinute] = [], _ ended: [SilenceRecord] = []
    ) {
        let count = events.count
        events += happened.compactMap(HistoryEvent.init)
        minutes += heard
        silences += ended
        if events.count > Self.backlog {
            lost += events.count - Self.backlog
            events.removeFirst(events.count - Self.backlog)
        }
        if minutes.count > Self.backlog { minutes.removeFirst(minutes.count - Self.backlog) }
        if silences.count > Self.backlog { silences.removeFirst(silences.count - Self.backlog) }
        if let retry {
            if retry <= .now { write() }
        } else if events.count > count || areMinutesDue || nextSign.map({ $0 <= .now }) ?? false {
            write()
        }
    }

    /// Everything has happened: writes the rest and the end of the run.
    package mutating func finish(at time: Int64) {
        write()
        do throws(HistoryError) {
            try store?.runEnded(at: time)
        } catch {
            say(error)
        }
        if !events.isEmpty {
            logger.error(
                "\(quantity(events.count, "event is", plural: "events are")) missing from the history: it could not be written until the end"
            )
        }
        store = nil
    }

    private var areMinutesDue: Bool {
        guard let first = minutes.first, let last = minutes.last else { return false }
        // A clock that was set back is a reason as well.
        return last.time < first.time || last.time &- first.time >= Self.minutesTogether
    }

    private mutating func write() {
        let last = events.last?.time ?? minutes.last?.time ?? silences.last?.time
        // Without a run there is nothing that could show a sign of life.
        let sign = last == nil && store == nil ? nil : clock?()
        guard let time = last ?? sign?.wall else { return }
        do throws(HistoryError) {
            try attempt(at: time, sign)
        } catch {
            guard case .damaged(_, let reason) = error else { return failed(error) }
            store = nil
            do throws(HistoryError) {
                let stamp = Timestamp.compact(KernelClock.realtime)
                let name = try HistoryStore.setAside(directory: directory, stamp: stamp)
                logger.error("the history was damaged: \(reason); it begins anew, and the damaged file is now \(name)")
                try attempt(at: time, sign)
            } catch {
                failed(error)
            }
        }
    }

    private mutating func attempt(at time: Int64, _ sign: Moment?) throws(HistoryError) {
        let store = if let store { store } else { try open() }
        self.store = store
        try store.removeOld(keeping: settings().keep, at: time)
        try store.record(events, minutes, silences, at: sign)
        (events, minutes, silences) = ([], [], [])
        nextSign = sign.map { _ in .now + signInterval }
        if retry != nil {
            let loss = lost > 0 ? "; \(quantity(lost, "event is", plural: "events are")) missing" : ""
            logger.notice("the history is written again\(loss)")
        }
        (retry, problem, said, lost) = (nil, nil, [], 0)
    }

    private func open() throws(HistoryError) -> HistoryStore {
        do throws(Errno) {
            try StateDirectory.make(directory)
        } catch {
            throw .denied(file: directory, reason: error.description)
        }
        return try HistoryStore(directory: directory, durability: durability)
    }

    private mutating func failed(_ error: HistoryError) {
        // The connection stays: a commit that failed half-way is overwritten by the next, and cannot come back to life.
        retry = .now + Self.retryInterval
        problem = error.description
        say(error)
    }

    private mutating func say(_ error: HistoryError) {
        guard said.insert(error.description).inserted else { return }
        logger.error("the history is not written: \(error); all other functions go on")
    }
}

extension Event {
    /// Whether it is stored; of ranging, a summary is.
    var isRecorded: Bool { kind.name != .didRangeBeacons }
}

extension HistoryEvent {
    /// Creates the stored form of an event; `nil` for one that is not.
    package init?(_ event: Event) {
        guard event.isRecorded else { return nil }
        // A query for this node's events must not return those of the house.
        let scope = if case .house = event.kind { "house." } else { "" }
        self.init(time: event.time, name: scope + event.kind.name.rawValue, region: event.region, json: event.json)
    }
}

/// A point in time as people write it on a command line.
package enum WrittenTime {
    package static let forms =
        "today, yesterday, 2h (also s, m, d, w), 2026-11-20, 2026-11-20T18:42 or 2026-11-20T18:42:00Z"

    private static let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]

    /// Reads one of the ``forms``, as nanoseconds since the Unix epoch; nil for anything else. Without a zone it is the machine's.
    package static func nanoseconds(_ text: String, now: Int64) -> Int64? {
        switch text {
        case "now": return now
        case "today": return LocalTime.startOfDay(now)
        case "yesterday": return LocalTime.startOfDay(now, adding: -1)
        default: break
        }
        if let unit = text.last.flatMap({ units[$0] }), let count = Int64(decimal: text.dropLast()), count >= 0 {
            let (seconds, overflow) = count.multipliedReportingOverflow(by: unit)
            // What lies before the epoch lies before all history.
            return overflow || seconds > now / 1_000_000_000 ? 0 : now - seconds * 1_000_000_000
        }
        return Timestamp.nanoseconds(text) ?? LocalTime.moment(text)
    }
}

struct RecordedEvent {
    let recorded: HistoryEvent

    /// Nil where a newer version wrote it, or the file is damaged.
    private let event: Event?

    init(_ recorded: HistoryEvent) {
        self.recorded = recorded
        event = try? JSONDecoder().decode(Event.self, from: Data(recorded.json.utf8))
    }

    private static let columns = [
        "time", "event", "region", "state", "uuid", "major", "minor", "rssi", "accuracy", "proximity", "id", "ssid",
        "answer", "device", "adapter", "code", "reason", "identifier", "service", "address", "name", "node", "seq",
        "scope", "room", "owner", "situation", "action",
    ]

    /// The names of the columns of ``csv`` (RFC 4180).
    static let header = columns.joined(separator: ",")

    /// A row of comma-separated values.
    var csv: String {
        let fields =
            event?.fields.flat
            ?? [
                EventField("time", .text(Timestamp.text(recorded.time))), EventField("event", .text(recorded.name)),
            ] + EventField.text("region", recorded.region)
        return Self.columns.map { column in
            fields.first { $0.name == column }.map(Self.cell) ?? ""
        }.joined(separator: ",")
    }

    /// A line for a person, in the machine's time zone.
    var line: String {
        let text =
            event?.text ?? [recorded.name, recorded.region].compactMap { $0 }.joined(separator: "  ").escapedName
        return "\(LocalTime.text(recorded.time))  \(text)"
    }

    /// Returns the value of a field as a cell. Others choose the names in it: control characters are escaped, and an
    /// apostrophe keeps a spreadsheet from taking a text for a formula.
    static func cell(_ field: EventField) -> String {
        guard case .text(let text) = field.value else { return field.plain ?? "" }
        var safe = ""
        var isStart = true
        for scalar in text.unicodeScalars {
            if isStart, formulaStarts.contains(scalar) { safe += "'" }
            safe.unicodeScalars.append(scalar)
            isStart = scalar == otherSeparator
        }
        return quoted(safe.escapedName)
    }

    private static let formulaStarts: Set<Unicode.Scalar> = ["=", "+", "-", "@", "\t", "\r"]

    /// Ends a cell for spreadsheets in countries where a comma is the decimal sign. Tabs are escaped.
    private static let otherSeparator: Unicode.Scalar = ";"

    private static let special: Set<Unicode.Scalar> = ["\"", ",", otherSeparator]

    /// Scalar by scalar: an accent after a quotation mark makes one character of both.
    private static func quoted(_ field: String) -> String {
        guard field.unicodeScalars.contains(where: special.contains) else { return field }
        var quoted = ""
        for scalar in field.unicodeScalars {
            if scalar == "\"" { quoted += "\"" }
            quoted.unicodeScalars.append(scalar)
        }
        return "\"\(quoted)\""
    }
}

/// Moments in which a run of the daemon goes on: signs of life.
extension Moment {
    /// The longest time between two signs of life in the file: what a power cut can take from the time watched.
    package static let signInterval = Duration.seconds(3600)

    /// Whether a later moment needs no sign: not after the clock was set, though a timer may be a little early.
    func suffices(at later: Moment) -> Bool {
        0..<Self.signInterval.clampedNanoseconds / 2 ~= later.wall.subtractingClamped(wall)
            && corrected(at: later).wall == wall
    }

    /// Returns the same for another time on the same clock.
    func moved(to time: Int64) -> Moment { Moment(instant: instant &+ (time &- wall), wall: time) }

    /// Returns this moment by the clock as it is at a later one: a machine without a clock of its own starts with a wrong
    /// time, which the network sets right after the daemon has begun to write.
    func corrected(at later: Moment) -> Moment {
        var watch = ClockWatch(at: self)
        guard let step = watch.looked(at: later) else { return self }
        return Moment(instant: instant, wall: wall.addingClamped(step.clampedNanoseconds))
    }
}
