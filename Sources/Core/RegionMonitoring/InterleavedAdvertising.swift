import OkaeriPlumbing

/// Two devices with one identity and one address, such as the copies of a factory's beacon: whether the times of the receptions
/// are those of two.
///
/// A device advertises at one interval, with a random delay of at most 10 ms (Core Specification 5.4, Vol 6, Part B, 4.4.2.2.1).
/// Its receptions are one train: each follows an earlier one by a multiple of the interval. Two devices make two trains of the
/// same interval, whose distance drifts. Levels alone prove nothing: a device at rest is received at three, one for each
/// advertising channel, as far as 40 dB apart. If the trains have levels of their own, they are the better proof.
///
/// The receptions are those of one radio. They are judged in windows, at most one in ``pause``.
struct InterleavedAdvertising: Sendable {
    private struct Sample: Sendable {
        /// The time since the first sample, in microseconds.
        var time: Int32
        var rssi: Int8?
    }

    /// The number of receptions in a window.
    private static let window = 48

    /// The number of receptions before the first window: most devices only pass by.
    private static let strangers = 8

    /// The time between the beginnings of two windows, and the silence that ends a window, in nanoseconds.
    private static let pause: Int64 = 5_000_000_000
    private static let silence: Int64 = 30_000_000_000

    /// The time in nanoseconds within which receptions are one: those of the three channels, or of two PHYs.
    private static let event: Int64 = 15_000_000

    /// The score of a window with two trains, and with two trains of different levels. Any other window subtracts one.
    private static let (trains, levels) = (2, 4)

    /// The score and the time in nanoseconds from which on the trains are two devices, and the highest score.
    private static let (proof, highest) = (8, 12)
    private static let shortestSpan: Int64 = 30_000_000_000

    private var samples: [Sample] = []
    private var start: Int64 = 0
    private var latest: Int64 = .min
    private var skipped = 0
    private var score = 0
    /// The beginning of the first window of the present score.
    private var since: Int64 = 0

    /// Whether two devices are proved.
    private(set) var isProved = false

    /// Handles a reception from the present address.
    @inline(__always)
    mutating func heard(_ rssi: Int8?, at now: Int64) {
        let elapsed = now.subtractingClamped(latest)
        guard elapsed > Self.event else { return }
        if skipped < Self.strangers {
            skipped += 1
            latest = now
            return
        }
        guard elapsed <= Self.silence else {
            latest = now
            return restart()
        }
        if samples.isEmpty, now.subtractingClamped(start) < Self.pause {
            latest = now
            return
        }
        append(rssi, at: now)
    }

    private mutating func restart() { samples.removeAll(keepingCapacity: true) }

    @inline(never)
    private mutating func append(_ rssi: Int8?, at now: Int64) {
        latest = now
        if samples.isEmpty {
            start = now
            samples.reserveCapacity(Self.window)
        }
        // Samples are at most ``silence`` apart: a window is shorter than half an hour.
        samples.append(Sample(time: Int32(clamping: (now - start) / 1000), rssi: rssi))
        guard samples.count == Self.window else { return }
        judge()
        if score >= Self.proof, now.subtractingClamped(since) >= Self.shortestSpan {
            isProved = true
        } else if score < Self.proof / 2 {
            isProved = false
        }
        restart()
    }

    private mutating func judge() {
        guard let pair = Pair(samples.map { ($0.time, $0.rssi) }) else {
            score = max(0, score - 1)
            return
        }
        if score == 0 { since = start }
        score = min(Self.highest, score + (pair.hasLevels ? Self.levels : Self.trains))
    }
}

extension InterleavedAdvertising {
    /// Two trains of one interval, in a window of receptions. All times are in microseconds.
    private struct Pair {
        private struct Train {
            var last: Int
            var count = 0
            /// The sum and number of the signals, and the sum of their squares.
            var sum = 0.0
            var squares = 0.0
            var signals = 0.0

            mutating func append(_ time: Int, _ rssi: Int8?) {
                (last, count) = (time, count + 1)
                guard let signal = rssi.map(Double.init) else { return }
                (sum, squares, signals) = (sum + signal, squares + signal * signal, signals + 1)
            }

            var mean: Double { sum / max(1, signals) }
            var variance: Double { squares / max(1, signals) - mean * mean }
        }

        /// The shortest and longest interval that is searched, and the shortest one at which two trains can be distinguished.
        private static let (shortest, longest, clear) = (40_000, 4_000_000, 90_000)

        /// Half of the width within which intervals are the same one.
        private static let width = 9_000

        /// The number of later receptions with which each is compared.
        private static let reach = 3

        /// The number of intervals after which a train has ended.
        private static let longestGap = 6

        /// The difference between the levels of two trains in dB, and the same in standard deviations.
        private static let (levels, deviations) = (10.0, 2.0)

        let hasLevels: Bool

        init?(_ samples: [(time: Int32, rssi: Int8?)]) {
            let times = samples.map { Int($0.time) }
            guard let interval = Self.interval(of: times), interval >= Self.clear else { return nil }
            var (trains, strays) = ([Train](), 0)
            let end = interval * Self.longestGap + interval / 2
            for (time, rssi) in zip(times, samples.map(\.rssi)) {
                let fits = trains.indices.compactMap { index in
                    Self.error(of: time - trains[index].last, interval).map { (index, $0) }
                }
                if let best = fits.min(by: { $0.1 < $1.1 }) {
                    trains[best.0].append(time, rssi)
                    continue
                }
                if trains.count == 2 {
                    guard let ended = trains.indices.min(by: { trains[$0].count < trains[$1].count }),
                        time - trains[ended].last > end
                    else {
                        strays += 1
                        continue
                    }
                    strays += trains.remove(at: ended).count
                }
                var train = Train(last: time)
                train.append(time, rssi)
                trains.append(train)
            }
            guard trains.count == 2, let last = times.last else { return nil }
            let (few, slots) = (min(trains[0].count, trains[1].count), last / interval)
            guard few * 10 >= times.count * 3, few * 20 >= slots * 9, strays * 12 <= times.count,
                Self.areApart(abs(trains[0].last - trains[1].last), interval)
            else { return nil }
            let difference = abs(trains[0].mean - trains[1].mean)
            hasLevels =
                difference >= Self.levels
                && difference * difference
                    >= Self.deviations * Self.deviations * max(trains[0].variance, trains[1].variance)
        }

        /// Returns the deviation of a distance in time from the nearest multiple of the interval; nil if it is not one.
        private static func error(of distance: Int, _ interval: Int) -> Int? {
            let count = (distance + interval / 2) / interval
            guard 1...longestGap ~= count else { return nil }
            let error = abs(distance - count * interval)
            // The random delays add up.
            return error <= 8000 + 4000 * count ? error : nil
        }

        /// Whether the distance of two trains is neither that of one train with a late reception, nor half the interval, as
        /// if every other reception of a shorter interval was lost.
        private static func areApart(_ distance: Int, _ interval: Int) -> Bool {
            let rest = distance % interval
            let offset = min(rest, interval - rest)
            return offset > max(25_000, interval * 2 / 25) && interval / 2 - offset > max(8000, interval / 25)
        }

        /// Returns the shortest interval at which nearly as many receptions follow each other as at the most common one.
        private static func interval(of times: [Int]) -> Int? {
            var lags: [Int] = []
            for first in times.indices {
                for second in times[first...].indices.dropFirst().prefix(reach) {
                    let lag = times[second] - times[first]
                    if shortest...longest ~= lag { lags.append(lag) }
                }
            }
            lags.sort()
            guard lags.count >= times.count else { return nil }
            var (low, high, most) = (0, 0, 0)
            let counts = lags.indices.map { index in
                while lags[low] <= lags[index] - width { low += 1 }
                while high < lags.count, lags[high] < lags[index] + width { high += 1 }
                most = max(most, high - low)
                return high - low
            }
            guard most * 100 >= times.count * 35, let first = counts.firstIndex(where: { $0 * 4 >= most * 3 }) else {
                return nil
            }
            let near = lags.indices[first...].prefix { lags[$0] <= lags[first] + 2 * width }
            return near.max { counts[$0] < counts[$1] }.map { lags[$0] }
        }
    }
}
