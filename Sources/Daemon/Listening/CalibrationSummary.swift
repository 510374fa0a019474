import IBeacon
import OkaeriEvents
import OkaeriPlumbing
package import RegionMonitoring

/// The result of a calibration, and the line to write into the configuration.
package struct CalibrationSummary: Sendable {
    /// The question of the calibration.
    package struct Question: Sendable {
        /// The region, as it is configured by now.
        package var region: MonitoredRegion
        /// The distance of the beacon, in metres; `nil` for the one metre of the measured power.
        package var distance: Double?
        /// The time for which the scan ran.
        package var duration: Duration
        /// Whether it is about this machine's receiver, and not about the beacon.
        package var isNode: Bool

        package init(region: MonitoredRegion, distance: Double?, duration: Duration, isNode: Bool = false) {
            self.region = region
            self.distance = distance
            self.duration = duration
            self.isNode = isNode
        }

        /// The place of the beacon: `one metre`, `4 m`.
        package var place: String { distance.map { "\($0.plain) m" } ?? "one metre" }
    }

    /// The key of the region's object, or of `node`, with its value.
    private let result: EventField

    /// The line that goes into the region's object, above `identifier`, which every region has; a node's into `node`.
    package var line: String { "\"\(result.name)\": \(result.plain ?? "")" + (isNode ? "" : ",") }

    private let headline: String
    private let level: Calibration.Level
    private let isReplaced: Bool
    private let identifier: String
    private let isNode: Bool

    /// - Throws: ``Calibration/Failure``: see ``sentence(_:_:)``.
    package init(_ calibration: Calibration, _ question: Question) throws(Calibration.Failure) {
        let region = question.region
        level = try calibration.level()
        identifier = region.identifier
        isNode = question.isNode
        let mean = level.mean.rounded(digits: 1)
        if isNode {
            let due = try Self.power(of: region, level)
            let offset = (Double(due) - level.mean).rounded(digits: 1)
            headline = "this machine hears \(mean) dBm at one metre, where \(due) dBm are due"
            result = EventField("offset", .number(offset))
            isReplaced = false
            return
        }
        guard let distance = question.distance else {
            headline = "\(level.measuredPower) dBm at one metre"
            result = EventField("measuredPower", .integer(Int(level.measuredPower)))
            isReplaced = region.measuredPower != nil
            return
        }
        let power = try Self.power(of: region, level)
        let exponent = try Calibration.exponent(of: level, at: distance, measuredPower: power)
        headline = "path loss exponent \(exponent): \(power) dBm at one metre, \(mean) dBm at \(question.place)"
        result = EventField("pathLossExponent", .number(exponent))
        isReplaced = region.pathLossExponent != nil
    }

    /// Returns the signal that is expected at one metre, in dBm.
    private static func power(
        of region: MonitoredRegion, _ level: Calibration.Level
    ) throws(Calibration.Failure) -> Int8 {
        guard let power = region.measuredPower ?? level.claimedPower else { throw .noMeasuredPower }
        return power
    }

    /// The same as an object: the region, the key of `beacons.json` and its value, the beacon, and its readings.
    package var json: String {
        ([
            EventField("region", .text(identifier)), EventField("key", .text(result.name)),
            EventField("value", result.value), EventField("readings", .integer(level.readings)),
        ] + level.identity.fields).json
    }

    /// A few lines for a person.
    package var text: String {
        let beacon = "major \(level.identity.major) minor \(level.identity.minor)"
        let claim = level.claimedPower.map { "states \($0) dBm" } ?? "does not advertise its signal"
        let place = "region \"\(identifier)\" of beacons.json"
        let verb =
            isNode
            ? "In beacons.json, beside \"regions\", add this to \"node\", and keep its name and room if there are any:"
            : isReplaced ? "In \(place), replace the old line with this one:" : "Add to \(place), above \"identifier\":"
        let line = isNode ? "\"node\": { \(line) }" : line
        return """
            \(identifier): \(headline)
              \(beacon), which itself \(claim) at one metre
              \(level.readings) readings; the middle 80 % are between \(level.kept.lowerBound) and \(level.kept.upperBound) dBm

            \(verb)

              \(line)
            """
    }

    /// Returns the failure, its reason and the remedy.
    package static func sentence(_ failure: Calibration.Failure, _ question: Question) -> String {
        let region = question.region.identifier
        let seconds = (question.duration / .seconds(1)).plain
        switch failure {
        case .nothingHeard:
            return
                "no beacon of \"\(region)\" was received in \(seconds) s; switch it on and bring it near: `okaeri scan` "
                + "lists the beacons in range"
        case .severalBeacons(let readings):
            let names = readings.sorted { $0.key < $1.key }
                .map { "major \($0.key.major) minor \($0.key.minor) (\($0.value) readings)" }
            return
                "\(readings.count) beacons of \"\(region)\" were received: \(names.joined(separator: ", ")); move the "
                + "others away, or name one with `okaeri calibrate UUID/MAJOR/MINOR`"
        case .tooFew(let count, let needed):
            return
                "only \(count) of the \(needed) required readings were received in \(seconds) s; scan longer with `--duration`, or set a shorter "
                + "advertising interval in the beacon"
        case .unsteady(let span):
            return
                "half of the readings differ by \(span) dB, and \(Calibration.steadySpan) dB is the limit; put the beacon down with nothing "
                + "between it and the antenna, and step aside"
        case .noMeasuredPower:
            return
                "the beacon does not advertise its signal at one metre; name it with `--measured-power`, or measure it with "
                + "`okaeri calibrate \(region)`"
        case .implausible(let exponent):
            let range = Calibration.exponents
            return "the path loss exponent would be \(exponent), and nothing has one outside of "
                + "\(range.lowerBound)...\(range.upperBound); check the distance, and calibrate at one metre first"
        }
    }
}
