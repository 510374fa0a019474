import OkaeriPlumbing
/// One node's signal of one region, reduced to the values that are published.
///
/// The signal is the mean of the samples of half a second: shorter windows flap, and longer ones delay by as much.
/// The differences of successive windows are the noise of the beacon at this receiver, because the signal of a
/// walking person changes little in half a second.
struct SignalWindow: Sendable {
    static let width = Nanoseconds.second / 2

    /// The beacon counts as silent after this time without a sample, or after four times the usual gap: the last
    /// value is then outdated.
    private static let shortestSilence = Nanoseconds.second * 5 / 2
    private static let gapsOfSilence: Int64 = 4

    /// The time constant of the measured noise in seconds, and the assumed noise before the first measurement.
    private static let memory = 30.0
    private static let firstNoise = 2.5

    /// The lead in dB from which on another beacon of the region replaces the followed one.
    private static let takeover = 6.0

    /// The beacon that is followed.
    private var beacon: UInt64?
    private var sum = 0.0
    private var count = 0.0
    private var previous: (mean: Double, end: Int64)?
    private var variance = firstNoise * firstNoise
    private var gap = Nanoseconds.second
    private var recent = RecentSignal()
    private(set) var lastHeard: Int64?

    /// The mean of the last window in dBm; nil when it is silent.
    private(set) var level: Double?

    /// The end of the open window.
    private(set) var closes: Int64?

    var noise: Double { variance.squareRoot() }

    /// The time at which the beacon counts as silent if nothing more is received.
    var silentAt: Int64? { lastHeard.map { $0.addingClamped(max(Self.shortestSilence, Self.gapsOfSilence * gap)) } }

    /// - Parameter isMean: Whether the signal is the mean of some seconds.
    mutating func heard(_ rssi: Double, from beacon: UInt64, isMean: Bool = false, at now: Int64) {
        if beacon != self.beacon {
            guard self.beacon == nil || level.map({ rssi >= $0 + Self.takeover }) ?? true else { return }
            self = SignalWindow()
            self.beacon = beacon
        }
        if let lastHeard {
            let passed = min(max(0, now.subtractingClamped(lastHeard)), 10 * Nanoseconds.second)
            gap += (passed - gap) / 10
        }
        lastHeard = now
        let rssi = isMean ? recent.heard(rssi, at: now) : rssi
        sum += rssi
        count += 1
        if level == nil { level = rssi }
        if closes == nil {
            // The windows are contiguous if there is no silence between them.
            let next = previous?.end.addingClamped(Self.width) ?? now
            closes = next > now ? next : now.addingClamped(Self.width)
        }
    }

    /// Closes the window at its end: its mean is the level.
    mutating func close(at now: Int64) {
        guard count > 0 else { return }
        let mean = sum / count
        if let previous, now.subtractingClamped(previous.end) <= max(4 * Nanoseconds.second, Self.gapsOfSilence * gap) {
            let weight = min(0.3, Nanoseconds.seconds(now.subtractingClamped(previous.end)) / Self.memory)
            let jump = mean - previous.mean
            variance += max(0, weight) * (jump * jump / 2 - variance)
        }
        previous = (mean, now)
        level = mean
        (sum, count, closes) = (0, 0, nil)
    }

    /// Handles a silence after which there is no signal.
    mutating func fellSilent() {
        (level, previous, closes, beacon) = (nil, nil, nil, nil)
        (sum, count) = (0, 0)
    }
}
