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
        guard let pair = Pair(samples) else {
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

        /// The number of distances that are compared with all others, and the share of them in percent that is one train's.
        private static let (candidates, most) = (4, 65)

        /// The number of later receptions with which each is compared.
        private static let reach = 3

        /// The number of intervals after which a train has ended.
        private static let longestGap = 6

        /// The difference between the levels of two trains in dB, and the same in standard deviations.
        private static let (levels, deviations) = (10.0, 2.0)

        let hasLevels: Bool

        init?(_ samples: [Sample]) {
            guard !Self.areOneTrain(samples), let interval = Self.interval(of: samples), interval >= Self.clear else {
                return nil
            }
            // The two are variables: an array would be an allocation for each report.
            var (older, newer, strays) = (Train?.none, Train?.none, 0)
            let end = interval * Self.longestGap + interval / 2
            for sample in samples {
                let time = Int(sample.time)
                let errors = (
                    older.flatMap { Self.error(of: time - $0.last, interval) },
                    newer.flatMap { Self.error(of: time - $0.last, interval) }
                )
                if let error = errors.0, error <= errors.1 ?? .max {
                    older?.append(time, sample.rssi)
                    continue
                }
                if errors.1 != nil {
                    newer?.append(time, sample.rssi)
                    continue
                }
                if let (one, other) = Self.both(older, newer) {
                    let isOlderShorter = one.count <= other.count
                    let ended = isOlderShorter ? one : other
                    guard time - ended.last > end else {
                        strays += 1
                        continue
                    }
                    strays += ended.count
                    (older, newer) = (isOlderShorter ? other : one, nil)
                }
                var train = Train(last: time)
                train.append(time, sample.rssi)
                if older == nil { older = train } else { newer = train }
            }
            guard let (one, other) = Self.both(older, newer), let last = samples.last else { return nil }
            let (few, slots) = (min(one.count, other.count), Int(last.time) / interval)
            guard few * 10 >= samples.count * 3, few * 20 >= slots * 9, strays * 12 <= samples.count,
                Self.areApart(abs(one.last - other.last), interval)
            else { return nil }
            let difference = abs(one.mean - other.mean)
            hasLevels =
                difference >= Self.levels
                && difference * difference
                    >= Self.deviations * Self.deviations * max(one.variance, other.variance)
        }

        /// Whether most receptions follow the one before by the same interval. Of two trains, at most about half do: their
        /// distances alternate. Most windows are of one device, and this is a twentieth of the search for an interval.
        private static func areOneTrain(_ samples: [Sample]) -> Bool {
            let lags = samples.indices.dropLast()
            return lags.prefix(candidates).contains { candidate in
                let lag = samples[candidate + 1].time - samples[candidate].time
                let near = lags.count { abs(samples[$0 + 1].time - samples[$0].time - lag) <= Int32(width) }
                return near * 100 >= lags.count * most
            }
        }

        private static func both(_ one: Train?, _ other: Train?) -> (Train, Train)? {
            one.flatMap { one in other.map { (one, $0) } }
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
        private static func interval(of samples: [Sample]) -> Int? {
            let width = Int32(width)
            // `reach` lags for each sample of a window, and a bucket for each width up to the longest interval.
            var (lags, count) = (InlineArray<144, Int32>(repeating: 0), 0)
            var buckets = InlineArray<223, UInt8>(repeating: 0)
            for distance in 1...reach {
                for first in samples.indices.dropLast(distance) {
                    let lag = samples[first + distance].time - samples[first].time
                    guard shortest...longest ~= Int(lag), count < lags.count else { continue }
                    lags[count] = lag
                    count += 1
                    buckets[Int(lag / (2 * width))] &+= 1
                }
            }
            // Those near one lag are in two neighbours. Most windows without a common interval end here, unsorted.
            var crowd: UInt8 = 0
            for second in 1..<buckets.count { crowd = max(crowd, buckets[second - 1] &+ buckets[second]) }
            guard count >= samples.count, isCommon(Int(crowd), samples) else { return nil }
            for index in 1..<count {
                // Nearly sorted: those of a greater distance are mostly longer.
                let lag = lags[index]
                var place = index
                while place > 0, lags[place - 1] > lag {
                    lags[place] = lags[place - 1]
                    place -= 1
                }
                lags[place] = lag
            }
            // The number of lags near each one.
            var near = InlineArray<144, Int>(repeating: 0)
            var (low, high, most) = (0, 0, 0)
            for index in 0..<count {
                while lags[low] <= lags[index] - width { low += 1 }
                while high < count, lags[high] < lags[index] + width { high += 1 }
                near[index] = high - low
                most = max(most, high - low)
            }
            guard isCommon(most, samples), let first = (0..<count).first(where: { near[$0] * 4 >= most * 3 }) else {
                return nil
            }
            var best = first
            for index in first..<count where lags[index] <= lags[first] + 2 * width && near[index] > near[best] {
                best = index
            }
            return Int(lags[best])
        }

        /// Whether so many lags near each other are an interval's.
        private static func isCommon(_ count: Int, _ samples: [Sample]) -> Bool { count * 100 >= samples.count * 35 }
    }
}
