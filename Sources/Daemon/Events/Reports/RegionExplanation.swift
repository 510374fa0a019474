import OkaeriPlumbing
import RegionMonitoring

/// Explains to a person why a region is inside or outside, and what would change that.
package struct RegionExplanation: Sendable {
    private let report: StatusReport
    private let region: RegionReport

    /// - Returns: nil when the daemon does not watch that region.
    package init?(_ report: StatusReport, region identifier: String) {
        guard let region = report.regions.first(where: { $0.identifier == identifier }) else { return nil }
        self.report = report
        self.region = region
    }

    /// The region's report as JSON.
    package var json: String { JSON.line(region) }

    /// A few lines.
    package var text: String {
        let signs = region.signs ?? [SignReport(region)]
        let ownRule = isSingle ? rule(signs[0]) : "Any of \(signs.count) signs keeps it inside"
        let ownCompromise = isSingle ? compromise(signs[0]) : nil
        var lines =
            [state, "  " + answer, "  " + ownRule]
            + [flapping, ownCompromise, mistakes, scan, air].compactMap(\.self).map { "  " + $0 }
        if !report.bluetooth.listening {
            lines.append(
                "  The scan does not run now, and time without a scan is not silence. \(report.bluetooth.reason)")
        }
        if report.stale { lines.append("  STALE: the daemon's loop has stopped turning; restart it") }
        for (index, sign) in signs.enumerated() {
            let beacons = region.beacons.filter { ($0.sign ?? 0) == index }
            if !isSingle { lines += head(sign) }
            if beacons.isEmpty {
                lines.append(
                    sign.phone == nil
                        ? "  None of its beacons has been heard since the start."
                        : "  Its phone has not been received since the start.")
            }
            lines += beacons.flatMap { self.lines($0, of: sign) }
        }
        return lines.joined(separator: "\n")
    }

    /// Whether the region has a single sign.
    private var isSingle: Bool { region.signs.map { $0.count == 1 } ?? true }

    /// The lines about one of several signs.
    private func head(_ sign: SignReport) -> [String] {
        let numbers = [sign.major.map { "major \($0)" }, sign.minor.map { "minor \($0)" }].compactMap(\.self)
        let device = sign.phone.map { "phone \($0)" } ?? sign.uuid.map { "uuid \($0)" } ?? ""
        let name = ([device] + numbers).joined(separator: " ")
        return ["", "Sign \(name)  \(sign.state.rawValue)"]
            + [rule(sign), compromise(sign)].compactMap(\.self).map { "  " + $0 }
    }

    private func lines(_ beacon: JudgementReport, of sign: SignReport) -> [String] {
        let holder = isSingle ? "it" : "the sign"
        return [
            "",
            (beacon.phone.map { "phone \($0)" } ?? "major \(beacon.major) minor \(beacon.minor)")
                + (beacon.keepsInside ? ", keeps \(holder) inside" : ""),
        ]
            + [
                ("heard", heard(beacon)), ("gone", gone(beacon)), ("wrong", wrong(beacon)), ("tail", tail(beacon)),
                ("else", others(beacon, sign)),
                ("sends", sends(beacon)), ("signal", signal(beacon)), ("distance", distance(beacon, sign)),
            ].compactMap { name, text in text.map { "  \(name.padding(to: 10))\($0)" } }
            + (beacon.radios ?? []).map { "  \("radio".padding(to: 10))\($0.words)" }
    }

    private var state: String {
        let since = region.since.map { " since \(LocalTime.text(stamp: $0))" } ?? ""
        let isLastKnown = region.state == .unknown && region.lastKnown != .unknown
        let last = isLastKnown ? ", last known \(region.lastKnown.rawValue)" : ""
        return "\(region.identifier)  \(region.state.rawValue)\(since)\(last)"
    }

    /// The state and its reason in one sentence, the same as on the page.
    private var answer: String {
        let name = region.identifier
        guard region.state != .unknown else { return "The state of \(name) is not known now" }
        guard let beacon = region.beacons.first(where: \.keepsInside) ?? region.beacons.first else {
            return region.state == .inside
                ? "\(name) is inside, as it was before the start; none of its beacons has been received since"
                : "\(name) is outside: none of its beacons has been received since the start"
        }
        let (age, device) = ("\(beacon.age.rounded(digits: 1).plain) s ago", beacon.phone == nil ? "beacon" : "phone")
        guard region.state == .inside else {
            return beacon.silence > beacon.exitAfter
                ? "\(name) is outside: its \(device) was last received \(age)"
                : "\(name) is outside: its \(device) is received, but its signal is too weak"
        }
        let weak = region.exitRSSI == nil ? "" : "when its signal becomes too weak, or "
        return "\(name) is inside: its \(device) was received \(age); it counts as gone "
            + "\(weak)after \(beacon.exitAfter.plain) s of silence"
    }

    private func rule(_ sign: SignReport) -> String {
        let enter = sign.enterRSSI.map { "a filtered signal of \($0) dBm or more" }
        let exit = sign.exitRSSI.map { "one below \($0) dBm leaves, and so does silence" }
        return "\(enter ?? "any advertisement") enters; \(exit ?? "silence leaves")".capitalizedSentence
    }

    private var flapping: String? {
        guard let flapping = region.flapping else { return nil }
        return
            "It flaps: \(flapping.returns) times in the last hour the signal left the region and soon entered it again. "
            + "Set exitRSSI \(flapping.distance) dB below enterRSSI, or more"
    }

    /// The point on the curve of speed against being right; nil where the time is configured.
    private func compromise(_ sign: SignReport) -> String? {
        guard sign.isLearned, let sensitivity = sign.sensitivity.flatMap(Sensitivity.init) else { return nil }
        guard sign.phone == nil else {
            return "Sensitivity \(sensitivity): the silence of a phone proves little, because a locked one may be "
                + "silent for an hour"
        }
        return "Sensitivity \(sensitivity)"
    }

    private var mistakes: String? {
        guard let mistakes = region.mistakes else { return nil }
        func words(_ count: Int) -> String { count == 0 ? "none" : "\(count)" }
        let would = [("quick", mistakes.quick), ("balanced", mistakes.balanced), ("patient", mistakes.patient)]
            .filter { !region.isLearned || $0.0 != region.sensitivity }
            .map { "\($0) would have had \(words($1))" }
        let rate = mistakes.rate.map { ", \($0)" } ?? ""
        return "False exits in the last \(Self.period(days: mistakes.days)): \(words(mistakes.falseExits))\(rate); "
            + would.joined(separator: ", ")
    }

    /// Returns how long that is, as the end of "in the last": `3 hours`, `day`, `1.5 days`.
    private static func period(days: Double) -> String {
        let hours = (days * 24).rounded()
        return switch days {
        case 1: "day"
        case 1...: "\(days.plain) days"
        default: hours < 1 ? "few minutes" : hours == 1 ? "hour" : "\(hours.plain) hours"
        }
    }

    private var scan: String? { report.bluetooth.listening ? report.bluetooth.scan.map { "Scan \($0.text)" } : nil }

    private var air: String? {
        guard let air = report.air else { return nil }
        guard air.isRepresentative else {
            return
                "In the air: \(quantity(air.devices, "other device")), too few to distinguish a deaf receiver from an absent beacon"
        }
        // Near the capacity of the table the number has no meaning any more.
        let devices = air.devices < 50 ? quantity(air.devices, "other device") : "more than 50 other devices"
        return "In the air: \(devices); the receiver was deaf to all of them for "
            + "\(air.deaf.plain) s since the start"
    }

    private func heard(_ beacon: JudgementReport) -> String {
        let unheard = beacon.age - beacon.silence
        let pause =
            unheard < 0.1
            ? "" : "; \(beacon.silence.rounded(digits: 1)) s of that were listened, the rest does not count"
        return "\(beacon.age.rounded(digits: 1)) s ago\(pause)"
    }

    private func gone(_ beacon: JudgementReport) -> String {
        "after \(beacon.exitAfter.plain) s of silence: " + reasons(beacon).joined(separator: "; ")
    }

    private func reasons(_ beacon: JudgementReport) -> [String] {
        if beacon.exitReason == "configured" { return ["exitAfter says so"] }
        var reasons = ["learned from its gaps" + (beacon.tail?.memory == "minutes" ? " of the last minutes" : "")]
        if let gaps = beacon.gaps, let needed = beacon.gapsNeeded {
            reasons = ["the time to begin with, as \(gaps) of the \(needed) gaps it takes to know it were heard"]
        }
        if let prolongation = beacon.prolongation {
            reasons.append("\(prolongation) times as long, as its signal sinks")
        }
        if let bound = beacon.bound { reasons.append("held at the \(bound) time there is") }
        return reasons
    }

    /// Returns how often the exit time is expected to be wrong, and what helps if that is often.
    private func wrong(_ beacon: JudgementReport) -> String? {
        guard beacon.exitReason == "learned", let rate = beacon.falseExits else { return nil }
        let expected = "expected \(Self.frequency(rate)), by its longest gaps"
        return beacon.isHeldAtLongest ? "\(expected). \(JudgementReport.remedyForLongest)" : expected
    }

    /// Returns how often something happens at a rate a day.
    private static func frequency(_ rate: Double) -> String {
        if rate >= 1.5 { return "\(rate.rounded().plain) times a day" }
        if rate > 2.0 / 3 { return "once a day" }
        return rate < 1.0 / 30 ? "less than once in a month" : "once in \((1 / rate).rounded().plain) days"
    }

    /// Returns the basis of a learned time.
    private func tail(_ beacon: JudgementReport) -> String? {
        guard beacon.exitReason == "learned", let tail = beacon.tail else { return nil }
        let hours = tail.listened / 3600
        let minutes = (tail.listened / 60).rounded(digits: 0)
        let listened = hours < 2 ? "\(minutes.plain) min" : "\(hours.rounded(digits: 1)) h"
        return "its \(tail.gaps.rounded(digits: 0).plain) longest gaps: \(tail.start.plain) to "
            + "\(tail.longest.plain) s, in \(listened) of listening"
    }

    /// Returns the exit times of the other sensitivities.
    private func others(_ beacon: JudgementReport, _ sign: SignReport) -> String? {
        guard beacon.exitReason != "configured", let times = beacon.exitTimes else { return nil }
        return [("quick", times.quick), ("balanced", times.balanced), ("patient", times.patient)]
            .filter { $0.0 != sign.sensitivity }
            .map { "\($1.plain) s if \($0)" }.joined(separator: ", ")
    }

    private func sends(_ beacon: JudgementReport) -> String {
        guard let interval = beacon.advertisingInterval, let loss = beacon.loss else {
            return "how often is unknown yet"
        }
        return "every \(interval.plain) s; \(Int((loss * 100).rounded())) % of that is lost"
    }

    private func signal(_ beacon: JudgementReport) -> String {
        guard let signal = beacon.signal else { return "unknown yet" }
        return "\(signal) dBm filtered" + (beacon.rssi.map { ", \($0) dBm last" } ?? "")
    }

    private func distance(_ beacon: JudgementReport, _ sign: SignReport) -> String? {
        // A phone does not advertise its power, and its distance is of no use without one.
        if sign.phone != nil, sign.measuredPower == nil { return nil }
        let claimed = beacon.claimedPower
        guard PathLoss.measuredPower(claimed: claimed, calibrated: sign.measuredPower) != nil else {
            let range = PathLoss.plausiblePower
            return "unknown: the beacon claims \(claimed) dBm at one metre, which is not within \(range.lowerBound) to "
                + "\(range.upperBound) dBm; run `okaeri calibrate \(region.signs == nil ? region.identifier : sign.beacons)`"
        }
        let metres = beacon.accuracy < 0 ? "unknown" : "\(beacon.accuracy) m, \(beacon.proximity)"
        let power = sign.measuredPower.map { "\($0) dBm as calibrated" } ?? "\(claimed) dBm as it claims"
        let exponent = sign.pathLossExponent ?? PathLoss.defaultExponent
        return "\(metres), by a measured power of \(power) and a path loss exponent of \(exponent)"
    }
}

extension String {
    fileprivate var capitalizedSentence: String { prefix(1).uppercased() + dropFirst() }
}

extension SignReport {
    /// UUID, major and minor, as far as they are fixed.
    fileprivate var beacons: String {
        [uuid, major.map { "\($0)" }, minor.map { "\($0)" }].compactMap(\.self).joined(separator: "/")
    }

    /// The only sign of a region.
    fileprivate init(_ region: RegionReport) {
        state = region.state
        (uuid, major, minor) = (region.uuid, region.major, region.minor)
        (exitAfter, isLearned, sensitivity) = (region.exitAfter, region.isLearned, region.sensitivity)
        (enterRSSI, exitRSSI) = (region.enterRSSI, region.exitRSSI)
        (measuredPower, pathLossExponent) = (region.measuredPower, region.pathLossExponent)
    }
}

extension JudgementReport.Radio {
    fileprivate var words: String {
        var words = [name.isEmpty ? "this machine" : name]
        if let signal { words.append("\(signal.plain) dBm") }
        words.append(
            away
                ? "away" : decides ? "gone after \(exitAfter.plain) s by itself" : "has not received it for a while")
        return words.joined(separator: ", ").plain()
    }
}
