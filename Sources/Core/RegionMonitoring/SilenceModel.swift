/// Learns from the silences of one beacon how long a silence must be to mean that it is gone.
///
/// It has two memories of how often gaps of which length came: one of a day, for the gap that comes once in an hour and
/// would be forgotten before it comes again, and one of ten minutes, for how the beacon is heard where it is now. Each
/// says how long a gap would be as rare as a ``Sensitivity`` promises; the longer time has the word.
///
/// How a silence began is evidence, too. A signal that sinks, as behind a door or a body, is about to leave gaps that
/// were not seen before: then the time is longer. A beacon that falls silent at full strength was mostly not received:
/// the signal of a person who leaves fades first.
///
/// Only time that was listened counts: a scan that was switched off is no silence, and neither is a deaf receiver.
struct SilenceModel: Sendable {
    /// The longest exit time, in seconds. A tag that is silent for longer than that is not there, whatever it did before.
    static let longest = 300.0

    /// The seconds with a gap that it takes to know a beacon: fifteen gaps, or fifteen seconds where gaps are shorter.
    static let priorLimit: Float = 15

    /// The seconds of listening after which a gap counts half.
    private static let halfLife = (minutes: Float(600), day: Float(86_400))

    /// The seconds of listening without a gap of some length or a longer one, after which the day's memory forgets that
    /// length. A bad night is remembered until the next one, but does not delay exits after a good day and night.
    private static let oblivion: Float = 18 * 3600

    /// The factor by which the memory of the minutes may be wrong more often than that of the day: it has fewer gaps.
    private static let minutesRate = 2.0

    /// The most seconds that deafness takes away from one silence, and the most of the exit time for a receiver that is not
    /// known to be deaf at times.
    private static let longestTolerance = 60.0
    private static let tolerated = 2.0 / 3

    /// A silence of more seconds than this was an absence, and teaches nothing.
    static let absence = 300.0

    /// The weight of a gap that was wrongly taken for an exit.
    private static let falseExitWeight: Float = 2

    /// The decrease of the signal, in dB, at which the time is prolonged the most: more than multipath alone causes.
    private static let depth: Float = 12
    private static let longestProlongation = 0.5

    /// The minimum decrease of the signal of a person who walks away, in dB: the gap that follows is not one of a
    /// present beacon.
    private static let departure: Float = 6

    /// From which signal, in dBm, a silence is less and less likely a departure, up to full strength: it begins some 10 dB
    /// above what a receiver just hears. Then so much less is promised.
    private static let strength = (faint: Float(-85), full: Float(-65))
    private static let doubt: Float = 0.4

    /// The gaps of the last ten minutes, and those of a second or more of the last day.
    var minutes = GapMemory<60>()
    var day = GapMemory<36>()

    /// The age of the newest gap in each of the day's bins, in hundredths of the half-life: the day's memory ages in such steps.
    var ages = InlineArray<36, UInt8>(repeating: 0)

    /// The sums of the gaps in seconds, weighted as `minutes` is: up to 32 s, three times the longest interval for
    /// iBeacons. Longer ones are no loss but an absence.
    var sums = InlineArray<44, Float>(repeating: 0)

    /// The number of gaps ever learned from, limited by the prior.
    var learned: Float = 0

    /// The signal of the last seconds and that of the last minute, in dBm.
    private var quick: Float?
    private var slow: Float?

    init() {}

    /// Whether anything was learned.
    var isTaught: Bool { learned > 0 }

    /// The signal of the last minute in dBm: what it was before it fell silent.
    var signal: Double? { slow.map(Double.init) }

    /// A beacon was heard again.
    ///
    /// - Parameters:
    ///   - gap: The scan time since its last reception, in seconds.
    ///   - elapsed: The seconds that passed.
    @inline(__always)
    mutating func heard(after gap: Float, elapsed: Double, rssi: Int8?) {
        if gap >= GapBins.shortest { learn(gap, elapsed: elapsed) }
        guard let rssi else { return }
        let signal = Float(rssi)
        quick = quick.map { $0 + gap / (gap + 2) * (signal - $0) } ?? signal
        slow = slow.map { $0 + gap / (gap + 60) * (signal - $0) } ?? signal
    }

    @inline(never)  // Of most beacons, which are strangers, it is never asked.
    private mutating func learn(_ gap: Float, elapsed: Double) {
        guard elapsed <= Self.absence else { return }
        let wasTakenForExit = Double(gap) >= Sensitivity.balanced.shortest && Double(gap) > exitTime(.balanced)
        if wasTakenForExit, sunk > Self.departure { return }
        if isOutlierOfUnknown(gap) { return }
        let bin = GapBins.bin(of: gap)
        if let weight = minutes.add(gap, bin: bin, halfLife: Self.halfLife.minutes) {
            for bin in sums.indices { sums[bin] *= weight }
        }
        if bin < sums.count { sums[bin] += gap }
        let weight = wasTakenForExit ? Self.falseExitWeight : 1
        // First, or the gap that completes a step would be forgotten with it.
        if bin >= GapBins.second { ages[bin - GapBins.second] = 0 }
        if day.add(gap, bin: bin, weight: weight, halfLife: Self.halfLife.day) != nil { forgetUnseenLengths() }
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

    /// Whether a gap says more about the receiver, which has just started, than about a beacon that is not known yet: it would
    /// dominate the rate of long gaps for hours.
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

    /// The factor by which the time is longer because the signal sinks.
    private var prolongation: Double {
        1 + Self.longestProlongation * Double(min(1, max(0, sunk / Self.depth)))
    }

    /// Returns the number of gaps a second that may be longer than the exit time.
    private func targetRate(_ sensitivity: Sensitivity) -> Double {
        let (faint, full) = Self.strength
        let part = quick.map { min(1, max(0, ($0 - faint) / (full - faint))) } ?? 0
        return sensitivity.targetRate / 86_400 * Double(1 - Self.doubt * part)
    }

    /// The most that deafness of the receiver takes away from one silence, in nanoseconds. It is the same for every
    /// sensitivity, so that a gap has one length.
    ///
    /// - Parameter wasDeafOfLate: whether the receiver is known to be deaf at times.
    func tolerance(_ wasDeafOfLate: Bool) -> Int64 {
        let longest = Self.longestTolerance
        return Int64((wasDeafOfLate ? longest : min(longest, Self.tolerated * exitTime(.balanced))) * 1e9)
    }

    /// Returns the silence from now on after which the beacon counts as gone, in seconds.
    func exitTime(_ sensitivity: Sensitivity) -> Double { timing(sensitivity).time / .seconds(1) }

    /// The exit time as it is now, and why.
    func timing(_ sensitivity: Sensitivity) -> ExitTiming {
        let targetRate = targetRate(sensitivity)
        let (long, short) = (day.tail(targetRate: targetRate), minutes.tail(targetRate: Self.minutesRate * targetRate))
        let isOfDay = (long?.exitTime ?? .zero) >= (short?.exitTime ?? .zero)
        let tail = isOfDay ? long : short
        let isKnown = learned >= Self.priorLimit
        let shortest = isKnown ? sensitivity.shortest : sensitivity.initial
        let reckoned = (tail?.exitTime ?? .zero) / .seconds(1) * prolongation
        let time = min(max(reckoned, shortest), Self.longest)
        let isReckoned = shortest < reckoned && reckoned <= Self.longest
        return ExitTiming(
            time: .seconds(time),
            basis: isKnown ? .learned : .initial(gaps: Int(learned), needed: Int(Self.priorLimit)),
            // Where a fixed number overrules what was reckoned, that was not prolonged.
            prolongation: isReckoned ? prolongation : 1,
            bound: reckoned > Self.longest ? .longest : isKnown && reckoned <= shortest ? .shortest : nil,
            tail: tail, memory: tail.map { _ in isOfDay ? .day : .minutes })
    }
}
