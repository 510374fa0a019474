/// Learns from the silences of one beacon how long a silence must be to mean that it is gone.
///
/// It keeps how often gaps of which length came between two sightings, forgetting with a half-life of ten minutes, and
/// takes their tail, beyond the 85th percentile, as exponential. The exit time is where that tail promises one false exit
/// in ten hours. A signal that is sinking, as behind a door or a body, is about to leave gaps that were not seen before:
/// then the time is longer.
///
/// Only time that was listened counts: a scan that was switched off is no silence.
struct SilenceModel: Sendable {
    /// The shortest and the longest exit time, in seconds. Less, and a person who turns around in a chair is gone; more,
    /// and nobody believes it.
    static let bounds = 12.0...90.0

    /// The exit time before anything is learned, in seconds.
    static let initial = 30.0

    /// How many gaps it takes to know a beacon.
    static let acquaintance: Float = 15

    /// After how many seconds a gap counts half.
    private static let halfLife = 600.0

    /// The part of the gaps that is no tail.
    private static let body: Float = 0.85

    /// How many seconds with one false exit, by the tail's own promise.
    private static let promise = 36_000.0

    /// What the tail is taken for before there is one: so many gaps, so many seconds beyond the percentile each.
    private static let prior = (count: 3.0, excess: 2.0)

    /// How far a signal sinks, in dB, when the time is doubled: farther than multipath alone swings it.
    private static let depth = 12.0

    /// The bins of the gaps' lengths: half a second, and a quarter more for each.
    static let binCount = 29
    private static let edges: [Float] = (0..<binCount - 1).map { index in
        (0..<index).reduce(0.5) { edge, _ in edge * 1.25 }
    }

    /// Advertisements this close are one: the three channels of a single event, in seconds.
    private static let sameEvent = 0.05

    /// How often gaps of each bin came, and how long they were in all, in seconds.
    var counts = InlineArray<29, Float>(repeating: 0)
    var sums = InlineArray<29, Float>(repeating: 0)

    /// How many gaps were ever learned from.
    var learned: Float = 0

    /// The time since the counts were last weighed down, in seconds.
    private var unforgotten = 0.0

    /// The signal of the last seconds and that of the last minute, in dBm.
    private var quick: Double?
    private var slow: Double?

    init() {}

    /// Whether anything was learned.
    var isTaught: Bool { learned > 0 }

    /// A beacon was heard again after `gap` seconds of listening.
    mutating func heard(after gap: Double, rssi: Int8?) {
        follow(rssi, after: gap)
        guard gap > Self.sameEvent else { return }
        unforgotten += gap
        // A hundredth of the half-life is often enough, and cheap.
        if unforgotten > Self.halfLife / 100 { forget() }
        var bin = 0
        let length = Float(gap)
        while bin < Self.binCount - 1, length >= Self.edges[bin] { bin += 1 }
        counts[bin] += 1
        sums[bin] += length
        learned = min(learned + 1, Self.acquaintance)
    }

    private mutating func forget() {
        let weight = Float(exp2(-unforgotten / Self.halfLife))
        unforgotten = 0
        for bin in 0..<Self.binCount {
            counts[bin] *= weight
            sums[bin] *= weight
        }
    }

    private mutating func follow(_ rssi: Int8?, after gap: Double) {
        guard let rssi else { return }
        let signal = Double(rssi)
        quick = quick.map { $0 + gap / (gap + 2) * (signal - $0) } ?? signal
        slow = slow.map { $0 + gap / (gap + 60) * (signal - $0) } ?? signal
    }

    /// How long a silence from now on means that the beacon is gone, in seconds.
    var exitTime: Double {
        let bounds = Self.bounds
        let time = min(max(tailTime * prolongation, bounds.lowerBound), bounds.upperBound)
        return learned < Self.acquaintance ? max(time, Self.initial) : time
    }

    /// How many times longer the time is because the signal sinks.
    var prolongation: Double {
        guard let quick, let slow else { return 1 }
        return 1 + min(1, max(0, (slow - quick) / Self.depth))
    }

    private var tailTime: Double {
        var total: Float = 0
        var length: Float = 0
        for bin in 0..<Self.binCount {
            total += counts[bin]
            length += sums[bin]
        }
        guard total > 0 else { return Self.initial }
        var below: Float = 0
        var last = 0
        while last < Self.binCount - 1 {
            below += counts[last]
            if below >= Self.body * total { break }
            last += 1
        }
        let threshold = Double(Self.edges[min(last, Self.binCount - 2)])
        var tailCount: Float = 0
        var tailLength: Float = 0
        for bin in (last + 1)..<max(last + 1, Self.binCount) {
            tailCount += counts[bin]
            tailLength += sums[bin]
        }
        let excess = max(0, Double(tailLength) - Double(tailCount) * threshold)
        let mean = (excess + Self.prior.count * Self.prior.excess) / (Double(tailCount) + Self.prior.count)
        let part = max(Double(tailCount / total), 1 / (Double(total) + 1))
        let gaps = Self.promise / max(Double(length / total), 0.2)
        return threshold + mean * ln(max(1.1, gaps * part))
    }
}
