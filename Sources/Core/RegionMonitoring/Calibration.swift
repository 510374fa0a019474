public import IBeacon

/// Measures a beacon that is held still at a known distance: its signal at one metre, then the decrease with the
/// distance.
///
/// Reflections from walls and bodies change single readings by ten decibels and more, upwards and downwards. So the
/// calibration omits a tenth of the readings at either end, and averages the rest.
public struct Calibration: Sendable {
    /// The reason why the readings give no result.
    public enum Failure: Error, Hashable, Sendable {
        /// No beacon was heard.
        case nothingHeard
        /// Beacons were received so many times, each time without an RSSI.
        case noSignal(receptions: Int)
        /// More than one was received, with so many readings each: the one at the distance is unknown.
        case severalBeacons([BeaconIdentity: Int])
        /// There are too few readings.
        case tooFew(readings: Int, needed: Int)
        /// The middle half of the readings has this span in decibels: something moved.
        case unsteady(span: Int)
        /// The beacon does not advertise its signal at one metre, and the region has none.
        case noMeasuredPower
        /// The exponent would have this value, which walls and air do not cause.
        case implausible(exponent: Double)
    }

    /// A signal, averaged.
    public struct Level: Hashable, Sendable {
        /// The mean of the readings that were kept, in dBm.
        public var mean: Double
        /// From the weakest to the strongest that was kept, in dBm.
        public var kept: ClosedRange<Int>
        /// The number of readings in all.
        public var readings: Int
        /// The beacon they are of.
        public var identity: BeaconIdentity
        /// The beacon's own value of its RSSI at one metre, in dBm; `nil` if it advertises none.
        public var claimedPower: Int8?

        /// The mean as the measured power of a beacon that was one metre away: -1 dBm at most.
        public var measuredPower: Int8 { Int8(min(-1, max(-127, mean.rounded()))) }
    }

    /// The minimum number of readings: those of a beacon that advertises once a second, in twenty seconds with every
    /// other advertisement lost.
    public static let neededReadings = 10

    /// The widest span of the middle half of the readings that is still one distance, in dB.
    public static let steadySpan = 10

    /// The possible exponents: a corridor that guides the waves has the smallest, walls and floors have the largest.
    public static let exponents = 1.5...6.0

    /// The shortest distance from which the exponent can be computed, in metres.
    public static let shortestDistance = 2.0

    /// The maximum number of beacons to count: enough for an error, however many are invented.
    private static let beaconLimit = 16

    /// The readings of a beacon, counted for each RSSI from -128 dBm up.
    private struct Readings: Sendable {
        var counts = [Int](repeating: 0, count: 256)
        var total = 0
        var claimedPower: Int8?

        mutating func add(_ rssi: Int8) {
            counts[Int(rssi) + 128] += 1
            total += 1
        }

        /// The reading at `position` in the order of their strength.
        func value(at position: Int) -> Int {
            var below = 0
            let index = counts.firstIndex { count in
                below += count
                return below > position
            }
            return (index ?? 255) - 128
        }

        /// The sum of the readings from one position up to another in the order of their strength.
        func sum(_ positions: Range<Int>) -> Int {
            var below = 0
            var sum = 0
            for (index, count) in counts.enumerated() {
                sum += (index - 128) * positions.clamped(to: below..<below + count).count
                below += count
            }
            return sum
        }
    }

    private var beacons: [BeaconIdentity: Readings] = [:]

    /// The number of receptions without an RSSI.
    private var withoutSignal = 0

    /// A calibration without any reading.
    public init() {}

    /// The number of readings so far.
    public var count: Int { beacons.values.reduce(0) { $0 + $1.total } }

    /// Handles the reception of a beacon. One without an RSSI is not a reading.
    public mutating func sighted(_ sighting: BeaconSighting) {
        guard let rssi = sighting.rssi else {
            withoutSignal += 1
            return
        }
        guard beacons[sighting.identity] != nil || beacons.count < Self.beaconLimit else { return }
        beacons[sighting.identity, default: Readings(claimedPower: sighting.measuredPower)].add(rssi)
    }

    /// Returns the strength of the only beacon.
    public func level() throws(Failure) -> Level {
        guard let (identity, readings) = beacons.first else {
            throw withoutSignal > 0 ? .noSignal(receptions: withoutSignal) : .nothingHeard
        }
        guard beacons.count == 1 else { throw .severalBeacons(beacons.mapValues(\.total)) }
        let total = readings.total
        guard total >= Self.neededReadings else { throw .tooFew(readings: total, needed: Self.neededReadings) }
        let span = readings.value(at: total * 3 / 4) - readings.value(at: total / 4)
        guard span <= Self.steadySpan else { throw .unsteady(span: span) }
        let kept = total / 10..<total - total / 10
        let ends = readings.value(at: kept.lowerBound)...readings.value(at: kept.upperBound - 1)
        return Level(
            mean: Double(readings.sum(kept)) / Double(kept.count), kept: ends, readings: total, identity: identity,
            claimedPower: readings.claimedPower)
    }

    /// The path loss exponent for a level that was measured at a distance, to two digits.
    ///
    /// - Parameters:
    ///   - distance: in metres, ``shortestDistance`` at least.
    ///   - measuredPower: the RSSI at one metre in dBm.
    public static func exponent(of level: Level, at distance: Double, measuredPower: Int8) throws(Failure) -> Double {
        let decades = ln(max(distance, shortestDistance)) / ln(10)
        let exponent = ((Double(measuredPower) - level.mean) / (10 * decades) * 100).rounded() / 100
        guard exponents ~= exponent else { throw .implausible(exponent: exponent) }
        return exponent
    }
}
