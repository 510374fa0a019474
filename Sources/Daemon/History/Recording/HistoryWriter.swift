package import Events
package import Logging
package import OkaeriConfiguration
package import Plumbing
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
            logger.error("\(events.count) events are missing from the history: it could not be written until the end")
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
            let loss = lost > 0 ? "; \(lost) events are missing" : ""
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

extension HistoryEvent {
    /// Creates the stored form of an event; `nil` for ranging, of which a summary is stored.
    package init?(_ event: Event) {
        if event.kind.name == .didRangeBeacons { return nil }
        // A query for this node's events must not return those of the house.
        let scope = if case .house = event.kind { "house." } else { "" }
        self.init(time: event.time, name: scope + event.kind.name.rawValue, region: event.region, json: event.json)
    }
}
