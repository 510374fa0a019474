/// The signal behind the noise: the median of the last three seconds, and of at least four samples.
///
/// At a boundary, multipath changes samples by 20 dB up and down. A filter flaps less the longer its delay is: the
/// window is chosen by the delay, half of the crossings within two and a half seconds (Benchmarks/README.md has the
/// curve). All reports within an eighth of a second are one sample, so that a beacon that advertises a hundred times
/// a second is smoothed like one that does so ten times.
struct SignalFilter: Sendable {
    /// The time span of one sample, 2²⁷ ns or 134 ms, the unit of all times here.
    private static let shift: Int64 = 27

    /// The time span of the median: 2.95 s.
    private static let window: UInt32 = 22

    /// The minimum number of samples, and the time span in which they are searched: 8 s.
    private static let fewest = 4
    private static let longestWindow: UInt32 = 60

    private static let capacity = 24

    /// The samples in a ring, each the mean in dBm of the reports in its time span, and those times.
    private var means = InlineArray<24, Int8>(repeating: 0)
    private var times = InlineArray<24, UInt32>(repeating: 0)

    /// The position of the newest, and the number of samples.
    private var newest = 0
    private var count = 0

    /// The samples within the newest one's time.
    private var sum: Int32 = 0
    private var samples: Int32 = 0

    @inline(__always)
    mutating func update(_ rssi: Int8, at nanoseconds: Int64) {
        let time = UInt32(truncatingIfNeeded: nanoseconds >> Self.shift)
        if count > 0, times[newest] == time {
            sum += Int32(rssi)
            samples += 1
            return
        }
        // The mean is final with its last report.
        if samples > 1 { means[newest] = mean }
        newest = newest + 1 == Self.capacity ? 0 : newest + 1
        count = min(count + 1, Self.capacity)
        (means[newest], times[newest]) = (rssi, time)
        (sum, samples) = (Int32(rssi), 1)
    }

    /// The mean of the reports in the newest time span, in dBm.
    private var mean: Int8 { Int8(truncatingIfNeeded: sum / max(1, samples)) }

    /// The filtered signal in dBm, `nil` before the first sample. It is sorted at each call: use it only where it
    /// matters.
    var value: Double? {
        guard count > 0 else { return nil }
        var sorted = InlineArray<24, Int8>(repeating: 0)
        var found = 0
        for back in 0..<count {
            let index = newest >= back ? newest - back : newest - back + Self.capacity
            let age = times[newest] &- times[index]
            guard age < (back < Self.fewest ? Self.longestWindow : Self.window) else { break }
            let sample = back == 0 ? mean : means[index]
            var place = found
            while place > 0, sorted[place - 1] > sample {
                sorted[place] = sorted[place - 1]
                place -= 1
            }
            sorted[place] = sample
            found += 1
        }
        let middle = found / 2
        return found.isMultiple(of: 2)
            ? (Double(sorted[middle - 1]) + Double(sorted[middle])) / 2 : Double(sorted[middle])
    }
}
