import Events
import IBeacon
import OkaeriConfiguration
import Plumbing
import RegionMonitoring

/// The thresholds of a region that is inside only while its beacon is near.
extension SetupDialogue {
    struct SignalMeasurement {
        /// The beacon: of several that match, the one that was nearest first.
        private var identity: BeaconIdentity?
        private var count: UInt64?
        private(set) var signals: [Double] = []

        mutating func add(_ beacons: [BeaconReport], matching constraint: BeaconConstraint) {
            for beacon in beacons.nearestFirst {
                guard let found = beacon.identity, constraint.matches(found), identity ?? found == found else {
                    continue
                }
                identity = found
                // The list repeats a beacon that was not received anew.
                if count != beacon.count, let signal = beacon.signal { signals.append(signal) }
                count = beacon.count
                return
            }
        }
    }

    mutating func askNear() -> [Action] {
        let present = (region?.monitored).flatMap { Self.words(enterRSSI: $0.enterRSSI, exitRSSI: $0.exitRSSI) }
        return (present.map { [.say("It is \($0) so far, which n leaves as it is.")] } ?? [])
            + ask(
                .near,
                "Count it as inside only while it is near, as in one room? That takes a minute to measure. [y/N] ")
    }

    mutating func askNearPlace() -> [Action] {
        ask(
            .nearPlace,
            "Put it down where it is farthest away and still to be inside, and step aside; then press Enter: ")
    }

    mutating func measureSignal() -> [Action] {
        question = nil
        measurement = SignalMeasurement()
        return [.measureSignal]
    }

    mutating func received(_ beacons: [BeaconReport]) -> [Action] {
        guard let constraint = answers.beacons else { return [] }
        measurement?.add(beacons, matching: constraint)
        return []
    }

    /// - Parameter trouble: The reason why beacons cannot be received, if there is one.
    mutating func measuring(left: Duration, trouble: String?) -> [Action] {
        guard let signals = measurement?.signals else { return [] }
        let progress = Action.progress(left: left, readings: signals.count)
        guard left <= .zero else { return [progress] }
        measurement = nil
        guard let proposal = ThresholdProposal(signals: signals) else {
            let reason = trouble ?? "The beacon was not received there."
            return [progress, .stopListening, .say(reason)] + ask(.near, "Measure again? [y/N] ")
        }
        thresholds = proposal
        isNearDecided = true
        return [progress, .stopListening, .say(Self.summary(proposal, readings: signals.count))] + next()
    }

    private static func summary(_ proposal: ThresholdProposal, readings: Int) -> String {
        let distance = proposal.enterRSSI - proposal.exitRSSI
        let noise =
            proposal.noise.map { "it varies by \($0.rounded(digits: 1).plain) dB" }
            ?? "\(readings) readings are too few to measure how much it varies"
        return "The filtered signal is \(proposal.signal) dBm; \(noise), so the thresholds are \(distance) dB apart."
    }

    static func words(enterRSSI: Int?, exitRSSI: Int?) -> String? {
        let words = [enterRSSI.map { "inside from \($0) dBm" }, exitRSSI.map { "outside below \($0) dBm" }]
        let present = words.compactMap(\.self)
        return present.isEmpty ? nil : present.joined(separator: ", ")
    }
}
