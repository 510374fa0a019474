import OkaeriPlumbing

/// Learns the exit time of one beacon from its silences.
///
/// The model has two memories of the frequency of gaps by their length: one of a day, for a gap that comes once in an
/// hour and would otherwise be removed before it comes again, and one of ten minutes, for the present reception of
/// the beacon. Each gives the exit time of the least cost: see ``GapTail/exitTime(cost:)``; the longer one is in force.
///
/// The begin of a silence is evidence, too. Gaps of a new length often follow a falling signal, as behind a wall or a
/// body: then the time is longer. A beacon that falls silent at full strength was probably not received, because the
/// signal of a beacon that leaves fades first: then a false exit costs more.
///
/// Silences are listening time. The time in which the scan was off, the time outside the scan windows, and the time of a deaf
/// receiver do not count.
struct SilenceModel: Sendable {
    /// The longest exit time, in seconds. A tag that is silent for longer counts as gone, whatever its earlier gaps.
    static let longest = 300.0

    /// The seconds with a gap that a learned time needs: fifteen gaps, or fifteen seconds if gaps are shorter.
    static let priorLimit: Float = 15

    /// The seconds of scan time after which a gap counts half.
    private static let halfLife = (minutes: Float(600), day: Float(86_400))

    /// The seconds of scan time without a gap of some length or a longer one, after which the day's memory removes
    /// that length. A bad night counts until the next one, but does not delay exits after a good day and night.
    private static let oblivion: Float = 18 * 3600

    /// The numbers of longest gaps that decide: fewer than six of a day depend on chance, and more include gaps without a cause.
    private static let tail = (minutes: 15.0, day: 6.0)

    /// The longest deaf time that is subtracted from one silence, in seconds, and its limit as a part of the exit
    /// time for a receiver without a confirmed deafness.
    private static let longestTolerance = 60.0
    private static let tolerated = 2.0 / 3

    /// A silence of more seconds than this was an absence, and is not learned.
    static let absence = 300.0

    /// The part of the time that is added by listening fully to a beacon that is there, and the shortest silence in seconds after which
    /// one is late: a scan takes some tenths of a second to begin anew.
    private static let lateShare: Float = 0.02
    private static let shortestLateness = 2.0

    /// The decrease of the signal, in dB, with the largest extension of the exit time: more than multipath alone
    /// causes.
    private static let depth: Float = 12
    private static let longestProlongation = 0.4

    /// The minimum decrease of the signal of a beacon that is carried away, in dB: the gap that follows is not one of
    /// a present beacon.
    private static let departure: Float = 6

    /// The signals in dBm between which a silence becomes less and less likely a departure, up to full strength. They
    /// begin some 10 dB above the weakest that a receiver receives. A false exit costs twice as much at full strength.
    private static let strength = (faint: Float(-85), full: Float(-65))
    private static let doubt: Float = 0.5

    /// The gaps of the last ten minutes, and those of a second or more of the last day.
    var minutes = GapMemory<60>()
    var day = GapMemory<36>()

    /// The age of the newest gap in each of the day's bins, in hundredths of the half-life: the day's memory ages in such steps.
    var ages = InlineArray<36, UInt8>(repeating: 0)

    /// The number of gaps ever learned from, limited by the prior.
    var learned: Float = 0

    /// Whether a deafness of the receiver was confirmed in the hour before the last reception: then that is a likelier reason for a
    /// silence at full strength.
    private var wasDeafOfLate = false

    /// The signal of the last seconds and that of the last minute, in dBm.
    private var quick: Float?
    private var slow: Float?

    init() {}

    /// Whether the device is a phone: its gaps are measured in units of twelve seconds, so that the same bins reach to an hour, and the
    /// memories last for two hours and twelve days.
    var isPhone = false

    /// The unit of the measured gaps, in seconds.
    var unit: Double { isPhone ? Self.longestOfPhone / Self.longest : 1 }

    private static let longestOfPhone = 3600.0

    var isTaught: Bool { learned > 0 }

    /// The signal of the last minute in dBm, which is the signal before the silence.
    var signal: Double? { slow.map(Double.init) }

    /// Handles the reception of the beacon.
    ///
    /// - Parameters:
    ///   - gap: The scan time since its last reception, in seconds.
    ///   - elapsed: The seconds that passed.
    ///   - wasDeafOfLate: Whether a deafness of the receiver was confirmed in the last hour.
    @inline(__always)
    mutating func heard(after gap: Float, elapsed: Double, rssi: Int8?, wasDeafOfLate: Bool) {
        self.wasDeafOfLate = wasDeafOfLate
        let length = isPhone ? gap / Float(unit) : gap
        if length >= GapBins.shortest { learn(length, elapsed: elapsed / unit) }
        guard let rssi else { return }
        let signal = Float(rssi)
        quick = quick.map { $0 + gap / (gap + 2) * (signal - $0) } ?? signal
        slow = slow.map { $0 + gap / (gap + 60) * (signal - $0) } ?? signal
    }

    @inline(never)  // Of most beacons, which are strangers, it is never asked.
    private mutating func learn(_ gap: Float, elapsed: Double) {
        guard elapsed <= Self.absence else { return }
        if sunk > Self.departure, !isPresent(after: Double(gap) * unit, .balanced) { return }
        if isOutlierOfUnknown(gap) { return }
        let bin = GapBins.bin(of: gap)
        _ = minutes.add(gap, bin: bin, halfLife: Self.halfLife.minutes)
        // First: otherwise the gap that completes a step would be removed with it.
        if bin >= GapBins.second { ages[bin - GapBins.second] = 0 }
        if day.add(gap, bin: bin, halfLife: Self.halfLife.day) { forgetUnseenLengths() }
        learned = min(learned + min(gap, 1), Self.priorLimit)
    }

    private mutating func forgetUnseenLengths() {
        var youngest = UInt8.max
        for bin in ages.indices.reversed() {
            youngest = min(youngest, ages[bin])
            ages[bin] = ages[bin] == .max ? .max : ages[bin] + 1
            if Float(youngest) * Self.halfLife.day / 100 > Self.oblivion { day.forget(bin) }
        }
    }

    /// Whether a gap is more likely caused by the receiver, which has just started, than by the beacon with few gaps:
    /// it would dominate the rate of long gaps for hours.
    private func isOutlierOfUnknown(_ gap: Float) -> Bool {
        guard learned < Self.priorLimit, Double(gap) >= Sensitivity.balanced.shortest else { return false }
        var gaps: Float = 0
        for bin in minutes.counts.indices { gaps += minutes.counts[bin] }
        return gaps >= 4 && gap > 10 * minutes.listened / gaps
    }

    /// The decrease of the signal within the last minute, in dB; negative if it rose.
    private var sunk: Float {
        guard let quick, let slow else { return 0 }
        return slow - quick
    }

    /// The factor by which a falling signal extends the time.
    private var prolongation: Double {
        1 + Self.longestProlongation * Double(min(1, max(0, sunk / Self.depth)))
    }

    /// Returns the delay that costs as much as one false exit in a unit of the measured gaps.
    private func costOfFalseExit(_ sensitivity: Sensitivity) -> Double {
        let (faint, full) = Self.strength
        let part = wasDeafOfLate ? 0 : quick.map { min(1, max(0, ($0 - faint) / (full - faint))) } ?? 0
        return sensitivity.costOfFalseExit * 86_400 / unit / Double(1 - Self.doubt * part)
    }

    /// The longest deaf time that is subtracted from one silence, in nanoseconds. It is the same for every
    /// sensitivity, so that a gap has one length.
    ///
    /// - Parameter wasDeafOfLate: Whether a deafness of the receiver was confirmed in the last hour.
    func tolerance(_ wasDeafOfLate: Bool) -> Int64 {
        wasDeafOfLate ? Int64(Self.longestTolerance * 1e9) : tolerance(ofExitTime: exitTime(.balanced))
    }

    private func tolerance(ofExitTime time: Double) -> Int64 {
        Int64(min(Self.longestTolerance, Self.tolerated * time) * 1e9)
    }

    /// Returns the silence in listening time after which the beacon counts as gone, with the ``tolerance(_:)``; one estimate is enough
    /// for both where the sensitivity is the balanced one.
    func limit(_ sensitivity: Sensitivity, _ wasDeafOfLate: Bool) -> SilenceLimit {
        let time = exitTime(sensitivity)
        let isEnough = sensitivity == .balanced && !wasDeafOfLate
        return SilenceLimit(
            length: Nanoseconds.count(time), clock: .listening,
            tolerance: isEnough ? tolerance(ofExitTime: time) : tolerance(wasDeafOfLate))
    }

    /// The silence in listening time after which the beacon is late: the silences beyond it are ``lateShare`` of the last minutes.
    var lateness: Duration {
        var (beyond, longer) = (0.0, 0.0)
        let bound = Double(Self.lateShare * minutes.listened)
        var bin = minutes.counts.count
        while bin > 0 {
            let count = Double(minutes.counts[bin - 1])
            let start = GapBins.start(bin - 1)
            let more = beyond + longer * (GapBins.start(bin) - start) + count * (GapBins.middle(bin - 1) - start)
            guard more <= bound else { break }
            bin -= 1
            (beyond, longer) = (more, longer + count)
        }
        return .seconds(max(Self.shortestLateness, GapBins.start(bin)) * unit)
    }

    /// The longest gaps of both memories, and the exit times by them, in units.
    private struct Estimate {
        var long, short: GapTail?
        var times: (day: Double, minutes: Double)
        /// The time before the longest bound, and the shortest that may be learned, in seconds.
        var computed, shortest: Double
        /// The time in force, in seconds.
        var time: Double
    }

    private func estimate(_ sensitivity: Sensitivity) -> Estimate {
        let cost = costOfFalseExit(sensitivity)
        let (long, short) = (day.tail(of: Self.tail.day), minutes.tail(of: Self.tail.minutes))
        let times = (day: long?.exitTime(cost: cost) ?? 0, minutes: short?.exitTime(cost: cost) ?? 0)
        let bounds = sensitivity.bounds(isPhone: isPhone)
        let shortest = isKnown ? bounds.shortest : bounds.initial
        let computed = max(times.day, times.minutes) * unit * prolongation
        return Estimate(
            long: long, short: short, times: times, computed: computed, shortest: shortest,
            time: min(max(computed, shortest), bounds.longest))
    }

    private var isKnown: Bool { learned >= Self.priorLimit }

    /// Returns the silence from now on after which the beacon counts as gone, in seconds.
    func exitTime(_ sensitivity: Sensitivity) -> Double { estimate(sensitivity).time }

    /// Returns the same in nanoseconds, without the cost of a `Duration`: the path of a report needs it.
    func exitNanoseconds(_ sensitivity: Sensitivity) -> Int64 { Nanoseconds.count(exitTime(sensitivity)) }

    /// Whether a silence of so many seconds is not longer than the exit time. Most are not, by the number of longer gaps in a day.
    ///
    /// Mutating, because a model that must not change would be copied for the call.
    mutating func isPresent(after seconds: Double, _ sensitivity: Sensitivity) -> Bool {
        let bounds = sensitivity.bounds(isPhone: isPhone)
        if seconds <= (isKnown ? bounds.shortest : bounds.initial) { return true }
        if seconds > bounds.longest { return false }
        // The exit time is beyond the shortest of the longest gaps.
        if day.has(Self.tail.day, beyond: seconds / unit) { return true }
        // Most others are not, by one memory alone.
        if let tail = day.tail(of: Self.tail.day),
            tail.exitTime(cost: costOfFalseExit(sensitivity)) * unit * prolongation > seconds
        {
            return true
        }
        return seconds <= exitTime(sensitivity)
    }

    func timing(_ sensitivity: Sensitivity) -> ExitTiming {
        let estimate = estimate(sensitivity)
        let (long, computed, shortest) = (estimate.long, estimate.computed, estimate.shortest)
        let longest = sensitivity.bounds(isPhone: isPhone).longest
        // The memory that matters; without one the day's.
        let isOfDay = long != nil && (estimate.times.day >= estimate.times.minutes || computed <= shortest)
        let tail = isOfDay ? long : estimate.short
        let isComputed = shortest < computed && computed <= longest
        return ExitTiming(
            time: .seconds(estimate.time),
            basis: isKnown ? .learned : .initial(gaps: Int(learned), needed: Int(Self.priorLimit)),
            // If a fixed bound replaces the computed time, the falling signal did not extend it.
            prolongation: isComputed ? prolongation : 1,
            bound: computed > longest ? .longest : isKnown && computed <= shortest ? .shortest : nil,
            tail: tail.map { ExitTiming.Tail($0, unit: unit) }, memory: tail.map { _ in isOfDay ? .day : .minutes },
            falseExits: long.map { $0.rate(beyond: estimate.time / unit) * 86_400 / unit })
    }
}

extension ExitTiming.Tail {
    fileprivate init(_ tail: GapTail, unit: Double) {
        self.init(
            start: .seconds(tail.start * unit), gaps: tail.gaps, longest: .seconds(tail.longest * unit),
            listened: .seconds(tail.listened * unit))
    }
}

/// Estimates the advertising interval, and the part that is received: for people, no decision depends on it.
///
/// The estimate uses the gaps of the last minutes. If advertisements are lost, the gaps are multiples of the
/// interval, and the interval itself is the shortest common one among them.
extension SilenceModel {
    /// A length is common if it is at least this part of the most common. Loss alone makes the multiples no more
    /// frequent than that, up to nineteen advertisements lost of twenty.
    private static let common: Float = 0.25

    /// The number of gaps of a length that are more than chance.
    private static let convincing: Float = 4

    /// The factor by which the next bins must have more gaps for the interval to be there.
    private static let slope: Float = 1.5

    /// The number of bins of gaps that can be losses: up to 32 s, three times the longest interval for iBeacons. Longer gaps are
    /// not losses but absences.
    private static let bins = 44

    /// The present estimate; `nil` before enough was received.
    var advertising: AdvertisingPattern? {
        guard learned == Self.priorLimit else { return nil }
        var total: Float = 0
        var length: Float = 0
        var tallest: Float = 0
        for bin in 0..<Self.bins {
            total += minutes.counts[bin]
            length += minutes.sums[bin]
            tallest = max(tallest, pair(bin))
        }
        let enough = max(Self.common * tallest, min(Self.convincing, tallest))
        var mode = 0
        while pair(mode) < enough { mode += 1 }
        // Up the slope, for the edge between two bins may cut the interval's own jitter in two.
        while pair(mode + 1) > Self.slope * pair(mode) { mode += 1 }
        guard total > 0, pair(mode) > 0 else { return nil }
        let next = mode + 1 < Self.bins ? minutes.sums[mode + 1] : 0
        let interval = (minutes.sums[mode] + next) / pair(mode)
        return AdvertisingPattern(
            interval: .seconds(Double(interval) * unit), loss: Double(max(0, 1 - interval * total / length)))
    }

    /// Returns the number of gaps in a bin and its upper neighbour.
    private func pair(_ bin: Int) -> Float {
        guard bin < Self.bins else { return 0 }
        return minutes.counts[bin] + (bin + 1 < Self.bins ? minutes.counts[bin + 1] : 0)
    }
}

/// The advertising interval and loss of a beacon, estimated from its receptions.
public struct AdvertisingPattern: Hashable, Sendable {
    /// The time from one advertisement to the next, with the random delay that every advertiser adds to it.
    public var interval: Duration

    /// The part of the advertisements that is not received, from 0 to 1: by distance, by collisions, and because the
    /// scan window covers only a part of the time.
    public var loss: Double
}

/// The silence after which a beacon counts as gone, and its reason.
public struct ExitTiming: Hashable, Sendable {
    /// The basis of the time.
    public enum Basis: Hashable, Sendable {
        /// The configured time.
        case configured
        /// The initial time: fewer gaps of the beacon were measured than a learned time needs.
        case initial(gaps: Int, needed: Int)
        /// A time that was learned from the gaps of this beacon.
        case learned
    }

    /// The bound of a learned time.
    public enum Bound: String, Hashable, Sendable {
        /// The time is not shorter: ``Sensitivity/shortestExitAfter``.
        case shortest

        /// The time is not longer: ``MonitoredRegion/longestExitAfter``.
        case longest
    }

    /// The memory that a learned time comes from: the longer time of the two decides.
    public enum Memory: String, Hashable, Sendable {
        /// A day, for gaps that occur once in an hour.
        case day
        /// Ten minutes, for the present reception.
        case minutes
    }

    /// The longest stored gaps, and their result.
    public struct Tail: Hashable, Sendable {
        /// The minimum length of a gap that counts.
        public var start: Duration
        /// The number of gaps, weighted by their age.
        public var gaps: Double
        /// The length of the longest of them, within a tenth.
        public var longest: Duration
        /// The listening time in which they occurred, weighted likewise.
        public var listened: Duration
    }

    /// The time in force.
    public var time: Duration

    /// The basis of the time.
    public var basis: Basis

    /// The factor by which a falling signal extends the time: from 1, not at all, to 1.4.
    public var prolongation = 1.0

    /// The bound that the time has reached, if any.
    public var bound: Bound?

    /// The longest gaps; `nil` if there are none, or they do not matter.
    public var tail: Tail?

    /// The memory of the longest gaps; `nil` if none matter.
    public var memory: Memory?

    /// The number of false exits in a day of listening that the longest gaps of the last day predict for this time; `nil` without
    /// gaps. The gaps that a learned time comes from lie below it, so this is an estimate and not a count.
    public var falseExits: Double?
}
