import OkaeriPlumbing
import RegionMonitoring

/// The measurement of a receiver of another make: a beacon lies one metre from it, and the daemon receives its reports.
package struct ReceiverCalibration: Sendable {
    /// The number of readings that are needed: one a second.
    package static let neededReadings = 10

    /// The widest span of the readings that is still one distance, in dB.
    private static let steadySpan = 10.0

    package let receiver: NodeReport
    /// The identifier of the region of the beacon.
    package let region: String
    /// The signals at the receiver in dBm, with the offset that it has now.
    private var readings: [Double] = []
    /// The signal at one metre that the region or the beacon states, in dBm.
    private var power: Int?

    /// - Parameters:
    ///   - name: The name of the receiver in `okaeri nodes`, or its own one if no other has it.
    ///   - measuredPower: The signal at one metre in dBm; `nil`: that of the region, or of the beacon.
    /// - Returns: `nil` without such a receiver.
    package init?(_ name: String, in nodes: NodesReport, region: String, measuredPower: Int8?) {
        let all = nodes.nodes.filter { $0.receiver != nil }
        let named = all.filter { $0.receiver?.name == name }
        guard let receiver = all.first(where: { $0.name == name }) ?? (named.count == 1 ? named[0] : nil) else {
            return nil
        }
        (self.receiver, self.region, power) = (receiver, region, measuredPower.map { Int($0) })
    }

    package var count: Int { readings.count }

    /// Handles an answer of the daemon.
    package mutating func received(_ status: StatusReport) {
        guard let region = status.regions.first(where: { $0.identifier == region }) else { return }
        for beacon in region.beacons {
            guard let radio = beacon.radios?.first(where: { $0.name == receiver.name }), radio.decides, !radio.away,
                let signal = radio.signal
            else { continue }
            readings.append(signal)
            power = power ?? (region.measuredPower ?? beacon.claimedPower).map { Int($0) }
        }
    }

    /// The reason why a measurement has no result.
    package struct Failure: Error, LocalizedFailure {
        let text: LocalizedText
        package func sentence(in language: Language) -> String { text.sentence(in: language) }
    }

    /// The result, or the reason for its absence.
    package var result: Result<Summary, Failure> {
        func failure(_ phrase: CalibrationPhrase, _ values: String...) -> Result<Summary, Failure> {
            .failure(Failure(text: LocalizedText(phrase, values)))
        }
        guard readings.count >= Self.neededReadings else {
            return failure(
                .receiverSilent, receiver.name, region, "\(readings.count)", "\(Self.neededReadings)")
        }
        let sorted = readings.sorted()
        guard let power else { return failure(.noPower, region) }
        let span = sorted[sorted.count * 3 / 4] - sorted[sorted.count / 4]
        guard span <= Self.steadySpan else {
            return failure(.unsteady, "\(Int(span.rounded()))", "\(Int(Self.steadySpan))")
        }
        let signal = sorted[sorted.count / 2]
        let offset = ((receiver.receiver?.offset ?? 0) + Double(power) - signal).rounded(digits: 1)
        return .success(
            Summary(
                receiver: receiver, signal: signal.rounded(digits: 1), power: power, offset: offset, readings: count))
    }

    package struct Summary: Sendable {
        let receiver: NodeReport
        let signal: Double
        let power: Int
        /// The offset of the receiver, in dB.
        package let offset: Double
        let readings: Int

        /// Returns a few lines for a person.
        package func text(in language: Language) -> String {
            let name = receiver.receiver?.name ?? receiver.name
            let place = [EventField("room", .text(receiver.room ?? name)), EventField("offset", .number(offset))]
            return """
                \(language(CalibrationPhrase.receiver, receiver.name, "\(signal)", "\(power)").plain())

                \(language(CalibrationPhrase.addReceiver))

                  "rooms": { \(JSON.text(name)): \(place.json) }
                """
        }

        package var json: String {
            [
                EventField("receiver", .text(receiver.name)), EventField("key", .text("offset")),
                EventField("value", .number(offset)), EventField("readings", .integer(readings)),
            ].json
        }
    }
}
