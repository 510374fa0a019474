import Glibc
import OkaeriPlumbing
import OkaeriPresence
import RegionMonitoring

/// The messages of one receiver, in order: when it received what, by the hub's clock.
///
/// The receiver stamps its messages with its own monotonic clock. The least distance between a message's stamp and its arrival in the last
/// minute or two is the usual delay; a message that takes longer is placed at the time at which it was due. So a delay neither shortens nor
/// lengthens a silence. The clocks may drift, and that of a virtual machine may stand still.
struct HeardStream: Sendable {
    /// The time without a message after which the receiver counts as away. It sends one every five seconds at least.
    static let patience: Int64 = 15 * Nanoseconds.second

    /// The longest time of which one message reports.
    private static let longest: Int64 = 60 * Nanoseconds.second

    /// The time of whose messages the least distance is taken.
    private static let window: Int64 = 60 * Nanoseconds.second

    /// The delay beyond the usual one from which on a message counts as late.
    private static let lateness: Int64 = 2 * Nanoseconds.second

    /// The time for which a message with few receptions counts in the listened share.
    private static let shareTime = 30.0

    private(set) var number: UInt64?
    /// The usual distance of an arrival from the end of its message by the receiver's clock.
    private var usual: Int64?
    /// The least distance since a time, at most a window ago.
    private var least: (distance: Int64, since: Int64)?
    private var until: Int64?
    /// The last end by the receiver's own clock.
    private var stamp: Int64?

    private(set) var lastArrival: Int64
    private(set) var isAway = false
    private(set) var lost: UInt64 = 0
    private(set) var late: UInt64 = 0
    /// The receptions, and the listened share, of late.
    private(set) var rate: ReceptionRate
    private(set) var share = 0.0

    init(at now: Int64) { (lastArrival, rate) = (now, ReceptionRate(at: now)) }

    /// The time from which on the receiver is away; `nil` if it is.
    var awayAt: Int64? { isAway ? nil : lastArrival.addingClamped(Self.patience) }

    /// Handles that the engine does not receive the last report.
    mutating func wasDropped() { lost = lost.addingReportingOverflow(1).partialValue }

    mutating func becameAway() { (isAway, until) = (true, nil) }

    /// Handles a message. Returns its content by the hub's clock.
    mutating func received(_ message: HeardMessage, at now: Int64) -> RadioReport {
        // The broker delivers such messages once, in order: a lower number is that of a new start.
        if let number, message.number <= number {
            (usual, least, until, stamp, self.number) = (nil, nil, nil, nil, nil)
        }
        let isNext = number.map { message.number == $0 + 1 } ?? false
        if let number, !isNext { lost = lost.addingReportingOverflow(message.number - number - 1).partialValue }
        let passed = Nanoseconds.seconds(max(0, now.subtractingClamped(lastArrival)))
        (number, lastArrival, isAway) = (message.number, now, false)
        let (begin, end) = times(of: message, isNext: isNext, at: now)
        until = end
        rate.received(message.entries.reduce(0) { $0 + $1.samples.count }, at: now)
        share += (share == 0 ? 1 : min(1, passed / Self.shareTime)) * (message.share - share)
        let receptions = message.entries.flatMap { entry in
            entry.samples.compactMap { sample -> Reception? in
                let age = Int64(min(sample.age, 1e6) * 1e9)
                guard age <= Self.longest else { return nil }
                let time = min(max(end.subtractingClamped(age), begin), end)
                return Reception(entry.sender, rssi: sample.rssi, at: Instant(nanoseconds: time))
            }
        }
        return RadioReport(
            from: Instant(nanoseconds: begin), until: Instant(nanoseconds: end), share: message.share,
            others: message.others, receptions: receptions.sorted { $0.time < $1.time },
            batteries: message.levels.map { level in
                let received = end.subtractingClamped(Int64(level.age * 1e9))
                return BeaconBattery(
                    identity: level.beacon, percent: level.percent, source: .advertised,
                    received: Instant(nanoseconds: received))
            })
    }

    /// The begin and the end of a message by the hub's clock.
    private mutating func times(of message: HeardMessage, isNext: Bool, at now: Int64) -> (Int64, Int64) {
        guard let span = message.span else {
            let begin = isNext ? until ?? now : now
            return (max(begin, now.subtractingClamped(Self.longest)), now)
        }
        let stamp = Int64(span.upperBound * 1e9)
        if let last = self.stamp, stamp < last { (usual, least) = (nil, nil) }
        self.stamp = stamp
        let delay = usualDelay(after: now.subtractingClamped(stamp), at: now)
        let end = min(now, stamp.addingClamped(delay))
        let length = min(Int64((span.upperBound - span.lowerBound) * 1e9), Self.longest)
        // The drift of the clocks makes no gap between two messages that follow each other.
        let begin = isNext ? until ?? end.subtractingClamped(length) : end.subtractingClamped(length)
        return (min(max(begin, end.subtractingClamped(Self.longest)), end), end)
    }

    /// Returns the usual distance.
    private mutating func usualDelay(after distance: Int64, at now: Int64) -> Int64 {
        let window = least ?? (distance, now)
        least = (min(window.distance, distance), window.since)
        if let least, now.subtractingClamped(least.since) >= Self.window {
            usual = least.distance
            self.least = (distance, now)
        }
        let delay = min(usual ?? distance, distance)
        if distance.subtractingClamped(delay) > Self.lateness { late += 1 }
        usual = delay
        return delay
    }
}

/// The limit of a radio's messages, of whatever content: ten a second, and fifty at once behind a link that stood still. Others are lost:
/// a client with the rights of one node is not to fill the hub's time.
struct HeardAdmission: Sendable {
    static let burst: Int64 = 50
    private static let pause = Nanoseconds.second / 10

    /// The shortest mean time between two messages, in nanoseconds, and the number of messages at once.
    private let pause: Int64
    private let burst: Int64

    /// The time at which the next message would be due if the messages came as often as they may.
    private var due = Int64.min

    init(pause: Int64 = Self.pause, burst: Int64 = Self.burst) { (self.pause, self.burst) = (pause, burst) }

    /// Returns whether a message is to be read.
    mutating func admits(at now: Int64) -> Bool {
        let next = max(due, now)
        guard next.subtractingClamped(now) < burst * pause else { return false }
        due = next.addingClamped(pause)
        return true
    }
}

/// The receptions a second of a radio, of late: each counts less with its age.
struct ReceptionRate: Sendable {
    /// The time after which a reception counts 1/e.
    private static let time = 30.0

    private let start: Int64
    private var weight = 0.0
    /// The time of the last reception.
    private(set) var last: Int64

    init(at now: Int64) { (start, last) = (now, now) }

    mutating func received(_ count: Int = 1, at now: Int64) {
        (weight, last) = (weight(at: now) + Double(count), max(last, now))
    }

    /// The receptions a second.
    func value(at now: Int64) -> Double {
        let passed = max(1, Self.seconds(from: start, to: now))
        return weight(at: now) / (Self.time * (1 - exp(-passed / Self.time)))
    }

    private func weight(at now: Int64) -> Double { weight * exp(-Self.seconds(from: last, to: now) / Self.time) }

    private static func seconds(from start: Int64, to end: Int64) -> Double {
        Nanoseconds.seconds(max(0, end.subtractingClamped(start)))
    }
}

/// The relation of the engine's clock to the broker's, in nanoseconds.
///
/// The engine's clock stands still while the machine sleeps, and that of a capture while its program is stopped. What was received in such
/// a time is placed at its end, and not before what the engine knows already.
struct EngineTime: Sendable {
    /// The time by which a clock may be behind without standing still.
    private static let tolerance = Nanoseconds.second

    /// The last standstill, by the broker's clock: its begin and its end, the engine's time, and the difference of the clocks before.
    private struct Standstill {
        var begin, end, engine, difference: Int64
    }

    private var last: (engine: Int64, own: Int64)?
    private var standstill: Standstill?

    /// Returns the mapping of times to the engine's clock, now that the clocks show these times.
    mutating func updated(engine: Int64, own: Int64) -> (Int64) -> Int64 {
        let difference = engine.subtractingClamped(own)
        if let last {
            let before = last.engine.subtractingClamped(last.own)
            if before.subtractingClamped(difference) > Self.tolerance {
                standstill = Standstill(begin: last.own, end: own, engine: engine, difference: before)
            }
        }
        // The clock is where it would be without the standstill: its source was only late.
        if let standstill, standstill.difference.subtractingClamped(difference) <= Self.tolerance {
            self.standstill = nil
        }
        last = (engine, own)
        return { [standstill] time in
            if let standstill, time <= standstill.end {
                let moved = time.addingClamped(standstill.difference)
                return time <= standstill.begin ? moved : min(standstill.engine, moved)
            }
            return min(engine, time.addingClamped(difference))
        }
    }
}
