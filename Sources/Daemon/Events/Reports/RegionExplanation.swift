import OkaeriPlumbing
import RegionMonitoring

/// Explains to a person why a region is inside or outside, and what would change that.
package struct RegionExplanation: Sendable {
    private let report: StatusReport
    private let region: RegionReport
    private let language: Language

    /// - Returns: nil when the daemon does not watch that region.
    package init?(_ report: StatusReport, region identifier: String, language: Language = .english) {
        guard let region = report.regions.first(where: { $0.identifier == identifier }) else { return nil }
        (self.report, self.region, self.language) = (report, region, language)
    }

    /// The region's report as JSON.
    package var json: String { JSON.line(region) }

    /// A few lines.
    package var text: String {
        let signs = region.signs ?? [SignReport(region)]
        let ownRule = isSingle ? rule(signs[0]) : text(.anyOfSigns, "\(signs.count)")
        let ownCompromise = isSingle ? compromise(signs[0]) : nil
        let bluetooth = report.bluetooth
        let noScan =
            bluetooth.listening
            ? nil
            : text(
                .noScan, language.bluetooth(code: bluetooth.code, adapter: bluetooth.adapter, reason: bluetooth.reason))
        let stuck = report.stale ? text(.stuck) : nil
        let remarks = [
            answer, ownRule, isSingle ? mask(signs[0]) : nil, flapping, ownCompromise, mistakes, scan, air, noScan,
            stuck,
        ].compactMap(\.self)
        var lines = [state] + remarks.map { "  " + $0 }
        for (index, sign) in signs.enumerated() {
            let beacons = region.beacons.filter { ($0.sign ?? 0) == index }
            if !isSingle { lines += head(sign) }
            if beacons.isEmpty { lines.append("  " + text(sign.phone == nil ? .noBeacon : .noPhone)) }
            lines += beacons.flatMap { self.lines($0, of: sign) }
        }
        return lines.joined(separator: "\n")
    }

    private func text(_ phrase: ExplanationPhrase, _ values: String...) -> String { language(phrase, values) }

    /// Whether the region has a single sign.
    private var isSingle: Bool { region.signs.map { $0.count == 1 } ?? true }

    /// The lines about one of several signs.
    private func head(_ sign: SignReport) -> [String] {
        let numbers = [sign.major.map { "major \($0)" }, sign.minor.map { "minor \($0)" }].compactMap(\.self)
        let device = sign.phone.map { text(.phone, $0) } ?? sign.uuid.map { "uuid \($0)" } ?? ""
        let name = ([device] + numbers).joined(separator: " ")
        return ["", text(.sign, name, language(StatusPhrase(sign.state)))]
            + [rule(sign), mask(sign), compromise(sign)].compactMap(\.self).map { "  " + $0 }
    }

    private func lines(_ beacon: JudgementReport, of sign: SignReport) -> [String] {
        let name = beacon.phone.map { text(.phone, $0) } ?? "major \(beacon.major) minor \(beacon.minor)"
        let lines: [(ExplanationPhrase, String?)] = [
            (.received, received(beacon)), (.exit, exit(beacon)), (.errors, errors(beacon)), (.basis, basis(beacon)),
            (.others, others(beacon, sign)), (.interval, interval(beacon)), (.signal, signal(beacon)),
            (.distance, distance(beacon, sign)),
        ]
        let radios = (beacon.radios ?? []).map { (ExplanationPhrase.radio, Optional(words($0))) }
        let identities = beacon.identityNotes.map { (ExplanationPhrase.identity, Optional($0.text(in: language))) }
        return ["", beacon.keepsInside ? language.list([name, text(isSingle ? .keepsRegion : .keepsSign)]) : name]
            + (lines + radios + identities).compactMap { label, words in
                words.map { "  \(language.column(language(label), width: 10))\($0)" }
            }
    }

    private var state: String {
        var state = text(.head, region.identifier, language(StatusPhrase(region.state)))
        if let since = region.since { state = text(.headSince, state, LocalTime.text(stamp: since)) }
        let isLastKnown = region.state == .unknown && region.lastKnown != .unknown
        return isLastKnown ? text(.headLastKnown, state, language(StatusPhrase(region.lastKnown))) : state
    }

    /// The state and its reason in one sentence, the same as on the page.
    private var answer: String {
        let name = region.identifier
        guard region.state != .unknown else { return text(.notKnown, name) }
        guard let beacon = region.beacons.first(where: \.keepsInside) ?? region.beacons.first else {
            return text(region.state == .inside ? .insideKept : .outsideNever, name)
        }
        let (age, isPhone) = (text(.seconds, beacon.age.rounded(digits: 1).plain), beacon.phone != nil)
        guard region.state == .inside else {
            return beacon.silence > beacon.exitAfter
                ? text(isPhone ? .outsideSilentPhone : .outsideSilentBeacon, name, age)
                : text(isPhone ? .outsideWeakPhone : .outsideWeakBeacon, name)
        }
        let phrase: ExplanationPhrase =
            region.exitRSSI == nil
            ? (isPhone ? .insidePhone : .insideBeacon) : (isPhone ? .insideNearPhone : .insideNearBeacon)
        return text(phrase, name, age, text(.seconds, beacon.exitAfter.plain))
    }

    private func rule(_ sign: SignReport) -> String {
        let exit = sign.exitRSSI.map { text(.exitAt, "\($0)") } ?? text(.exitSilence)
        return sign.enterRSSI.map { text(.enterAt, exit, "\($0)") } ?? text(.enterAny, exit)
    }

    private var flapping: String? {
        region.flapping.map { text(.flapping, "\($0.returns)", "\($0.distance)") }
    }

    private func mask(_ sign: SignReport) -> String? {
        sign.mask.map { text(.mask, $0.fields.json, $0.words) }
    }

    /// The point on the curve of speed against being right; nil where the time is configured.
    private func compromise(_ sign: SignReport) -> String? {
        guard sign.isLearned, let sensitivity = sign.sensitivity.flatMap(Sensitivity.init) else { return nil }
        return text(sign.phone == nil ? .sensitivity : .phoneSensitivity, "\(sensitivity)")
    }

    private var mistakes: String? {
        guard let mistakes = region.mistakes else { return nil }
        func words(_ count: Int) -> String { count == 0 ? text(.none) : "\(count)" }
        let would = [("quick", mistakes.quick), ("balanced", mistakes.balanced), ("patient", mistakes.patient)]
            .filter { !region.isLearned || $0.0 != region.sensitivity }
            .map { text(.wouldHave, $0, words($1)) }
        let rate = mistakes.ratePerDay.map { text(.rate, $0) } ?? ""
        return text(.mistakes, period(days: mistakes.days), words(mistakes.falseExits), rate, language.list(would))
    }

    /// Returns how long that is, as the end of "in the last": `3 hours`, `day`, `1.5 days`.
    private func period(days: Double) -> String {
        let hours = (days * 24).rounded()
        return switch days {
        case 1: text(.day)
        case 1...: text(.days, days.plain)
        default: hours < 1 ? text(.minutes) : hours == 1 ? text(.hour) : text(.hours, hours.plain)
        }
    }

    private var scan: String? {
        report.bluetooth.listening ? report.bluetooth.scan.map { text(.scan, language.scan($0)) } : nil
    }

    private var air: String? {
        guard let air = report.air else { return nil }
        guard air.isRepresentative else { return text(.fewDevices, "\(air.devices)") }
        // Near the capacity of the table the number has no meaning any more.
        return text(.devices, air.devices < 50 ? "\(air.devices)" : text(.manyDevices), air.deaf.plain)
    }

    private func received(_ beacon: JudgementReport) -> String {
        let age = "\(beacon.age.rounded(digits: 1))"
        return beacon.age - beacon.silence < 0.1
            ? text(.ago, age) : text(.unlistened, age, "\(beacon.silence.rounded(digits: 1))")
    }

    private func exit(_ beacon: JudgementReport) -> String {
        text(.afterSilence, beacon.exitAfter.plain, language.parts(reasons(beacon)))
    }

    private func reasons(_ beacon: JudgementReport) -> [String] {
        if beacon.exitReason == "configured" { return [text(.configured)] }
        var reasons = [text(beacon.tail?.memory == "minutes" ? .learnedMinutes : .learned)]
        if let gaps = beacon.gaps, let needed = beacon.gapsNeeded { reasons = [text(.initial, "\(gaps)", "\(needed)")] }
        if let prolongation = beacon.prolongation { reasons.append(text(.longer, "\(prolongation)")) }
        if let bound = beacon.bound { reasons.append(text(bound == "longest" ? .longest : .shortest)) }
        return reasons
    }

    /// Returns how often the exit time is expected to be wrong, and what helps if that is often.
    private func errors(_ beacon: JudgementReport) -> String? {
        guard beacon.exitReason == "learned", let rate = beacon.falseExits else { return nil }
        let expected = text(.expected, frequency(rate))
        return beacon.isHeldAtLongest ? text(.remedyForLongest, expected) : expected
    }

    /// Returns how often something happens at a rate a day.
    private func frequency(_ rate: Double) -> String {
        if rate >= 1.5 { return text(.timesADay, rate.rounded().plain) }
        if rate > 2.0 / 3 { return text(.onceADay) }
        return rate < 1.0 / 30 ? text(.lessThanMonthly) : text(.onceInDays, (1 / rate).rounded().plain)
    }

    /// Returns the basis of a learned time.
    private func basis(_ beacon: JudgementReport) -> String? {
        guard beacon.exitReason == "learned", let tail = beacon.tail else { return nil }
        let hours = tail.listened / 3600
        let minutes = (tail.listened / 60).rounded(digits: 0)
        let listened = hours < 2 ? text(.scanMinutes, minutes.plain) : text(.scanHours, "\(hours.rounded(digits: 1))")
        return text(.tail, tail.gaps.rounded(digits: 0).plain, tail.start.plain, tail.longest.plain, listened)
    }

    /// Returns the exit times of the other sensitivities.
    private func others(_ beacon: JudgementReport, _ sign: SignReport) -> String? {
        guard beacon.exitReason != "configured", let times = beacon.exitTimes else { return nil }
        let others = [("quick", times.quick), ("balanced", times.balanced), ("patient", times.patient)]
            .filter { $0.0 != sign.sensitivity }
        return language.list(others.map { text(.with, $0, $1.plain) })
    }

    private func interval(_ beacon: JudgementReport) -> String {
        guard let interval = beacon.advertisingInterval, let loss = beacon.loss else { return text(.notKnownYet) }
        return text(.every, interval.plain, "\(Int((min(1, max(0, loss)) * 100).rounded()))")
    }

    private func signal(_ beacon: JudgementReport) -> String {
        guard let signal = beacon.signal else { return text(.notKnownYet) }
        return beacon.rssi.map { text(.last, "\(signal)", "\($0)") } ?? text(.filtered, "\(signal)")
    }

    private func distance(_ beacon: JudgementReport, _ sign: SignReport) -> String? {
        // A phone does not advertise its power, and its distance is of no use without one.
        if sign.phone != nil, sign.measuredPower == nil { return nil }
        guard let power = PathLoss.measuredPower(claimed: beacon.claimedPower, calibrated: sign.measuredPower) else {
            let range = PathLoss.plausiblePower
            let remedy = text(.calibrate, region.signs == nil ? region.identifier : sign.beacons)
            return beacon.claimedPower.map {
                text(.implausible, "\($0)", "\(range.lowerBound)", "\(range.upperBound)", remedy)
            } ?? text(.noPower, remedy)
        }
        let metres =
            beacon.accuracy < 0 ? language(StatusPhrase.unknown) : text(.metres, "\(beacon.accuracy)", beacon.proximity)
        let source = text(sign.measuredPower == nil ? .claimed : .calibrated, "\(power)")
        return text(.measured, metres, source, "\(sign.pathLossExponent ?? PathLoss.defaultExponent)")
    }

    private func words(_ radio: JudgementReport.Radio) -> String {
        let name = radio.name.isEmpty ? text(.thisMachine) : radio.name
        let state =
            radio.away ? text(.away) : radio.decides ? text(.decides, radio.exitAfter.plain) : text(.notReceived)
        let latest = radio.latest && !radio.away ? text(.receivedLast) : nil
        return language.list([name, radio.signal.map { "\($0.plain) dBm" }, latest, state].compactMap(\.self)).plain()
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
        (uuid, major, minor, mask) = (region.uuid, region.major, region.minor, region.mask)
        (exitAfter, isLearned, sensitivity) = (region.exitAfter, region.isLearned, region.sensitivity)
        (enterRSSI, exitRSSI) = (region.enterRSSI, region.exitRSSI)
        (measuredPower, pathLossExponent) = (region.measuredPower, region.pathLossExponent)
    }
}
