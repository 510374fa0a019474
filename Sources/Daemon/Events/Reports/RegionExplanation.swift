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
        let ownRule = isSingle ? rule(signs[0]) : "Any of \(signs.count) signs keeps the region inside"
        let ownCompromise = isSingle ? compromise(signs[0]) : nil
        var lines =
            [state, "  " + answer, "  " + ownRule]
            + [flapping, ownCompromise, mistakes, scan, air].compactMap(\.self).map { "  " + $0 }
        if !report.bluetooth.listening {
            lines.append(
                "  The adapter does not scan now. Time without a scan does not count as silence. \(report.bluetooth.reason)"
            )
        }
        if report.stale {
            lines.append("  STALE: the daemon is stuck; restart it with `sudo systemctl restart okaeri`")
        }
        for (index, sign) in signs.enumerated() {
            let beacons = region.beacons.filter { ($0.sign ?? 0) == index }
            if !isSingle { lines += head(sign) }
            if beacons.isEmpty {
                lines.append(
                    sign.phone == nil
                        ? "  No beacon of this region has been received since the start."
                        : "  The phone has not been received since the start.")
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
        let holder = isSingle ? "the region" : "the sign"
        return [
            "",
            (beacon.phone.map { "phone \($0)" } ?? "major \(beacon.major) minor \(beacon.minor)")
                + (beacon.keepsInside ? ", keeps \(holder) inside" : ""),
        ]
            + [
                ("received", received(beacon)), ("exit", gone(beacon)), ("errors", wrong(beacon)),
                ("basis", tail(beacon)),
                ("others", others(beacon, sign)),
                ("interval", sends(beacon)), ("signal", signal(beacon)), ("distance", distance(beacon, sign)),
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
                ? "\(name) is inside, as it was before the start; no beacon of it has been received since then"
                : "\(name) is outside: no beacon of it has been received since the start"
        }
        let (age, device) = ("\(beacon.age.rounded(digits: 1).plain) s ago", beacon.phone == nil ? "beacon" : "phone")
        guard region.state == .inside else {
            return beacon.silence > beacon.exitAfter
                ? "\(name) is outside: its \(device) was last received \(age)"
                : "\(name) is outside: its \(device) is received, but the signal is too weak"
        }
        let weak = region.exitRSSI == nil ? "" : "if the signal becomes too weak, or "
        return "\(name) is inside: its \(device) was received \(age); the region becomes outside "
            + "\(weak)after \(beacon.exitAfter.plain) s of silence"
    }

    private func rule(_ sign: SignReport) -> String {
        let enter = sign.enterRSSI.map { "A filtered signal of \($0) dBm or more" } ?? "Any advertisement"
        let exit =
            sign.exitRSSI.map { "a signal below \($0) dBm, or silence, causes an exit" } ?? "silence causes an exit"
        return "\(enter) causes an entry; \(exit)"
    }

    private var flapping: String? {
        guard let flapping = region.flapping else { return nil }
        return
            "The state changes too often: \(flapping.returns) times in the last hour the signal became too weak and soon strong "
            + "enough again. Set exitRSSI at least \(flapping.distance) dB below enterRSSI"
    }

    /// The point on the curve of speed against being right; nil where the time is configured.
    private func compromise(_ sign: SignReport) -> String? {
        guard sign.isLearned, let sensitivity = sign.sensitivity.flatMap(Sensitivity.init) else { return nil }
        guard sign.phone == nil else {
            return
                "Sensitivity \(sensitivity): a phone that is not received may still be near, because a locked phone may be "
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
                "Other devices in range: \(air.devices). These are too few to show whether the beacon is absent or the receiver is faulty"
        }
        // Near the capacity of the table the number has no meaning any more.
        let devices = air.devices < 50 ? "\(air.devices)" : "more than 50"
        return "Other devices in range: \(devices). Since the start, the adapter received none of them for "
            + "\(air.deaf.plain) s in total"
    }

    private func received(_ beacon: JudgementReport) -> String {
        let unheard = beacon.age - beacon.silence
        let pause =
            unheard < 0.1
            ? "" : "; only the \(beacon.silence.rounded(digits: 1)) s in which the adapter scanned count as silence"
        return "\(beacon.age.rounded(digits: 1)) s ago\(pause)"
    }

    private func gone(_ beacon: JudgementReport) -> String {
        "after \(beacon.exitAfter.plain) s of silence: " + reasons(beacon).joined(separator: "; ")
    }

    private func reasons(_ beacon: JudgementReport) -> [String] {
        if beacon.exitReason == "configured" { return ["set by exitAfter"] }
        var reasons = [
            "learned from the gaps between receptions"
                + (beacon.tail?.memory == "minutes" ? " in the last minutes" : "")
        ]
        if let gaps = beacon.gaps, let needed = beacon.gapsNeeded {
            reasons = [
                "the initial time, because only \(gaps) of the \(needed) gaps that are needed to learn it were received"
            ]
        }
        if let prolongation = beacon.prolongation {
            reasons.append("\(prolongation) times as long, because the signal becomes weaker")
        }
        if let bound = beacon.bound { reasons.append("limited to the \(bound) possible time") }
        return reasons
    }

    /// Returns how often the exit time is expected to be wrong, and what helps if that is often.
    private func wrong(_ beacon: JudgementReport) -> String? {
        guard beacon.exitReason == "learned", let rate = beacon.falseExits else { return nil }
        let expected = "a false exit is expected \(Self.frequency(rate)), according to the longest gaps"
        return beacon.isHeldAtLongest ? "\(expected). \(JudgementReport.remedyForLongest)" : expected
    }

    /// Returns how often something happens at a rate a day.
    private static func frequency(_ rate: Double) -> String {
        if rate >= 1.5 { return "\(rate.rounded().plain) times a day" }
        if rate > 2.0 / 3 { return "once a day" }
        return rate < 1.0 / 30 ? "less than once a month" : "once in \((1 / rate).rounded().plain) days"
    }

    /// Returns the basis of a learned time.
    private func tail(_ beacon: JudgementReport) -> String? {
        guard beacon.exitReason == "learned", let tail = beacon.tail else { return nil }
        let hours = tail.listened / 3600
        let minutes = (tail.listened / 60).rounded(digits: 0)
        let listened = hours < 2 ? "\(minutes.plain) min" : "\(hours.rounded(digits: 1)) h"
        return "the \(tail.gaps.rounded(digits: 0).plain) longest gaps, \(tail.start.plain) to "
            + "\(tail.longest.plain) s, in \(listened) of scanning"
    }

    /// Returns the exit times of the other sensitivities.
    private func others(_ beacon: JudgementReport, _ sign: SignReport) -> String? {
        guard beacon.exitReason != "configured", let times = beacon.exitTimes else { return nil }
        return [("quick", times.quick), ("balanced", times.balanced), ("patient", times.patient)]
            .filter { $0.0 != sign.sensitivity }
            .map { "\($1.plain) s with \($0)" }.joined(separator: ", ")
    }

    private func sends(_ beacon: JudgementReport) -> String {
        guard let interval = beacon.advertisingInterval, let loss = beacon.loss else {
            return "not known yet"
        }
        return "every \(interval.plain) s; \(Int((loss * 100).rounded())) % of the advertisements are lost"
    }

    private func signal(_ beacon: JudgementReport) -> String {
        guard let signal = beacon.signal else { return "not known yet" }
        return "\(signal) dBm filtered" + (beacon.rssi.map { ", \($0) dBm last" } ?? "")
    }

    private func distance(_ beacon: JudgementReport, _ sign: SignReport) -> String? {
        // A phone does not advertise its power, and its distance is of no use without one.
        if sign.phone != nil, sign.measuredPower == nil { return nil }
        let claimed = beacon.claimedPower
        guard PathLoss.measuredPower(claimed: claimed, calibrated: sign.measuredPower) != nil else {
            let range = PathLoss.plausiblePower
            return
                "unknown: the beacon states \(claimed) dBm at one metre, which is not between \(range.lowerBound) and "
                + "\(range.upperBound) dBm; run `okaeri calibrate \(region.signs == nil ? region.identifier : sign.beacons)`"
        }
        let metres = beacon.accuracy < 0 ? "unknown" : "\(beacon.accuracy) m, \(beacon.proximity)"
        let power = sign.measuredPower.map { "\($0) dBm as calibrated" } ?? "\(claimed) dBm as the beacon states"
        let exponent = sign.pathLossExponent ?? PathLoss.defaultExponent
        return "\(metres), from a measured power of \(power) and a path loss exponent of \(exponent)"
    }
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
                ? "away"
                : decides ? "alone decides an exit after \(exitAfter.plain) s" : "has not received it for a while")
        return words.joined(separator: ", ").plain()
    }
}
