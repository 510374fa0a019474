import IBeacon
import OkaeriEvents
import RegionMonitoring

/// Sums up the receptions of each region's beacons, a minute at a time.
///
/// There is no timer: a minute is handed over when an event of the next one comes, or on request.
struct SignalMeter: Sendable {
    fileprivate struct Sum {
        var heard = 0
        var measured = 0
        var total = 0
        var range = 0...0
        var power: Int8?
        /// The position of the sign of the beacon that was received last.
        var sign = 0
    }

    private let regions: [MonitoredRegion]

    /// The beginning of the minute, on the wall clock.
    private var start: Int64?
    private var sums: [Int: Sum] = [:]

    init(_ regions: [MonitoredRegion]) {
        self.regions = regions
    }

    /// A region's beacon was heard.
    ///
    /// - Parameters:
    ///   - positions: its regions, by their positions.
    ///   - time: nanoseconds since the Unix epoch.
    /// - Returns: the minute before, if this one begins another.
    mutating func heard(_ sighting: BeaconSighting, in positions: [Int], at time: Int64) -> [SignalMinute] {
        let passed = (time % SignalMinute.length + SignalMinute.length) % SignalMinute.length
        // A capture's clock may have any value.
        let start = time < .min + passed ? .min : time - passed
        let finished = start == self.start ? [] : drained()
        self.start = start
        for region in positions {
            sums[region, default: Sum()].add(sighting)
            let signs = regions[region].signs
            guard signs.count > 1 else { continue }
            let sign = signs.firstIndex { $0.matches(sighting.identity) }
            sums[region]?.sign = sign ?? 0
        }
        return finished
    }

    /// Returns the receptions since the last call, of a minute that need not be over.
    mutating func drained() -> [SignalMinute] {
        defer { sums.removeAll(keepingCapacity: true) }
        guard let start else { return [] }
        return sums.sorted { $0.key < $1.key }.map { index, sum in
            let region = regions[index]
            return SignalMinute(
                time: start, region: region.identifier, heard: sum.heard, signal: sum.signal(by: region.signs[sum.sign])
            )
        }
    }
}

extension SignalMeter.Sum {
    package mutating func add(_ sighting: BeaconSighting) {
        heard += 1
        power = sighting.measuredPower
        guard let rssi = sighting.rssi.map(Int.init) else { return }
        range = measured == 0 ? rssi...rssi : min(range.lowerBound, rssi)...max(range.upperBound, rssi)
        measured += 1
        total += rssi
    }

    /// - Parameter sign: The sign whose calibration gives the distance.
    package func signal(by sign: RegionSign) -> SignalMinute.Signal? {
        guard measured > 0 else { return nil }
        let mean = Double(total) / Double(measured)
        return SignalMinute.Signal(
            count: measured, mean: mean, lowest: range.lowerBound, highest: range.upperBound,
            accuracy: PathLoss.accuracy(
                signal: mean, measuredPower: PathLoss.measuredPower(claimed: power, calibrated: sign.measuredPower),
                exponent: sign.pathLossExponent ?? PathLoss.defaultExponent))
    }
}
