import IBeacon
package import OkaeriEvents
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

        /// Returns the place of the beacon: `one metre`, `4 m`.
        package func place(in language: Language) -> String {
            distance.map { language(CalibrationPhrase.metres, $0.plain) } ?? language(CalibrationPhrase.oneMetre)
        }
    }

    /// The key of the region's object, or of `node`, with its value.
    private let result: EventField

    /// The line that goes into the region's object, above `identifier`, which every region has; a node's into `node`.
    package var line: String { "\"\(result.name)\": \(result.plain ?? "")" + (isNode ? "" : ",") }

    private let headline: LocalizedText
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
            headline = LocalizedText(CalibrationPhrase.node, "\(mean)", "\(due)")
            result = EventField("offset", .number(offset))
            isReplaced = false
            return
        }
        guard let distance = question.distance else {
            headline = LocalizedText(CalibrationPhrase.measured, "\(level.measuredPower)")
            result = EventField("measuredPower", .integer(Int(level.measuredPower)))
            isReplaced = region.measuredPower != nil
            return
        }
        let power = try Self.power(of: region, level)
        let exponent = try Calibration.exponent(of: level, at: distance, measuredPower: power)
        headline = LocalizedText(
            CalibrationPhrase.exponent, "\(exponent)", "\(power)", "\(mean)",
            Language.english(CalibrationPhrase.metres, distance.plain))
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

    /// Returns a few lines for a person.
    package func text(in language: Language) -> String {
        func text(_ phrase: CalibrationPhrase, _ values: String...) -> String { language(phrase, values) }
        let beacon = "major \(level.identity.major) minor \(level.identity.minor)"
        let claim = level.claimedPower.map { text(.claim, "\($0)") } ?? text(.noClaim)
        let kept = level.kept
        let readings = text(.readings, "\(level.readings)", "\(kept.lowerBound)", "\(kept.upperBound)")
        let task = isNode ? text(.addNode) : text(isReplaced ? .replace : .add, identifier)
        let line = isNode ? "\"node\": { \(line) }" : line
        return """
            \(identifier): \(headline.sentence(in: language))
              \(text(.summary, beacon, claim))
              \(readings)

            \(task)

              \(line)
            """
    }

    /// Returns the failure, its reason and the remedy.
    package static func sentence(_ failure: Calibration.Failure, _ question: Question) -> LocalizedText {
        let region = question.region.identifier
        let seconds = (question.duration / .seconds(1)).plain
        switch failure {
        case .nothingHeard: return LocalizedText(CalibrationPhrase.nothing, region, seconds)
        case .noSignal(let receptions):
            return LocalizedText(CalibrationPhrase.noSignal, region, "\(receptions)", seconds)
        case .severalBeacons(let readings):
            let sorted = readings.sorted { $0.key < $1.key }
            func text(in language: Language) -> String {
                let names = sorted.map { beacon, count in
                    language(CalibrationPhrase.severalName, "\(beacon.major)", "\(beacon.minor)", "\(count)")
                }
                return language(CalibrationPhrase.several, "\(readings.count)", region, language.list(names))
            }
            return LocalizedText(text(in: .english), japanese: text(in: .japanese))
        case .tooFew(let count, let needed):
            func text(in language: Language) -> String {
                language(CalibrationPhrase.tooFew, "\(count)", "\(needed)", seconds, language(CalibrationPhrase.longer))
            }
            return LocalizedText(text(in: .english), japanese: text(in: .japanese))
        case .unsteady(let span):
            return LocalizedText(CalibrationPhrase.unsteady, "\(span)", "\(Calibration.steadySpan)")
        case .noMeasuredPower: return LocalizedText(CalibrationPhrase.noPower, region)
        case .implausible(let exponent):
            let range = Calibration.exponents
            return LocalizedText(
                CalibrationPhrase.implausible, "\(exponent)", "\(range.lowerBound)", "\(range.upperBound)")
        }
    }
}
