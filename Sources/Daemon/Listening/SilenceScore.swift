import IBeacon
import OkaeriPlumbing
import RegionMonitoring

/// The measurements of one region in a capture: the silences of its beacons, and those of them that are taken for
/// exits.
struct SilenceScore: Sendable {
    let region: MonitoredRegion

    /// The settings that all signs have in common; `nil` if they differ.
    private var inForce: (exitAfter: Duration?, sensitivity: Sensitivity)? {
        let isCommon = region.signs.allSatisfy {
            ($0.exitAfter, $0.sensitivity) == (region.sign.exitAfter, region.sign.sensitivity)
        }
        return isCommon ? (region.sign.exitAfter, region.sign.sensitivity) : nil
    }

    /// The scan time until each beacon's last reception. As many as the monitor remembers.
    private var lastHeard: [BeaconIdentity: Duration] = [:]
    private var advertisements = 0

    /// The lengths of silences between two advertisements, in seconds; and the number of silences too long for that.
    private var gaps = Tally()
    private var longSilences = 0

    private var insideSince: Instant?
    private var inside = Duration.zero
    private var exits = 0

    /// The number of false exits: those that happened, and those of the other settings.
    private var falseExits = 0
    private var falseExitsIf: [Sensitivity: Int] = [:]
    private var falseExitsAsConfigured = 0

    /// The delay of an exit, in seconds, minute by minute.
    private var delays: [Sensitivity: Tally] = [:]

    /// The advertising interval of the beacon that is received most, minute by minute, in seconds; and the part that is
    /// lost.
    private var intervals = Tally()
    private var losses = Tally()

    /// Reports this close are one advertisement, sent on three channels.
    private static let shortestGap = Duration.seconds(1) / 64

    /// A longer one is an absence, and would be all of the ten longest.
    private var longestGap: Duration {
        region.signs.contains { $0.phoneFile != nil }
            ? region.signs.map(\.longestExitAfter).max() ?? .zero : Self.longestGap
    }
    static let longestGap = EndedSilence.returnLimit

    /// A shorter stay gives no rate for a day.
    private static let shortestStay = Duration.seconds(3600)

    init(_ region: MonitoredRegion) {
        self.region = region
    }

    /// One of its beacons was heard.
    ///
    /// - Parameter listened: for how long was listened by then.
    mutating func heard(_ identity: BeaconIdentity, at listened: Duration) {
        guard let last = lastHeard[identity] else {
            // Any device can invent beacons.
            guard lastHeard.count < RegionMonitor.beaconCapacity else { return }
            lastHeard[identity] = listened
            advertisements += 1
            return
        }
        lastHeard[identity] = listened
        let gap = listened - last
        guard gap >= Self.shortestGap else { return }
        advertisements += 1
        if gap <= longestGap { gaps.add(gap / .seconds(1)) } else { longSilences += 1 }
    }

    /// Its state was determined.
    mutating func became(_ state: RegionState, at now: Instant) {
        if let insideSince {
            inside += insideSince.duration(to: now)
            if state == .outside { exits += 1 }
        }
        insideSince = state == .inside ? now : nil
    }

    /// Handles the end of a silence that was not an absence by every sensitivity.
    mutating func ended(_ silence: EndedSilence) {
        if silence.wasFalseExit { falseExits += 1 }
        for sensitivity in Sensitivity.allCases where silence.isFalseExit(after: silence.exitTimes[sensitivity]) {
            falseExitsIf[sensitivity, default: 0] += 1
        }
        if let exitAfter = inForce?.exitAfter, silence.isFalseExit(after: exitAfter) { falseExitsAsConfigured += 1 }
    }

    /// A minute passed: had the beacon that keeps the region been taken away, how long would the exit have taken?
    mutating func sampled(_ judgements: [RegionMonitor.Judgement]) {
        guard let judgement = judgements.first(where: \.keepsInside) else { return }
        for sensitivity in Sensitivity.allCases {
            delays[sensitivity, default: Tally()].add(judgement.exitTimes[sensitivity] / .seconds(1))
        }
        let most = judgements.max { $0.beacon.count < $1.beacon.count }
        guard let pattern = most?.advertising else { return }
        intervals.add(pattern.interval / .seconds(1))
        losses.add(pattern.loss)
    }

    /// The sums.
    ///
    /// - Parameter now: the capture's end.
    func summary(at now: Instant) -> CaptureScore.Region {
        let stay = inside + (insideSince.map { $0.duration(to: now) } ?? .zero)
        func row(_ setting: String, _ exitAfter: Double? = nil, isInForce: Bool, _ falseExits: Int, _ delays: Tally?)
            -> CaptureScore.Setting
        {
            let days = stay / .seconds(86_400)
            let perDay = stay < Self.shortestStay ? nil : Double(falseExits) / days
            return CaptureScore.Setting(
                setting: setting, exitAfter: exitAfter, inForce: isInForce, falseExits: falseExits,
                perDay: perDay?.rounded(digits: 2),
                medianDelay: (exitAfter ?? delays?.quantile(0.5))?.rounded(digits: 1),
                p90Delay: (exitAfter ?? delays?.quantile(0.9))?.rounded(digits: 1))
        }
        var settings = Sensitivity.allCases.map { sensitivity in
            let isInForce = inForce.map { $0.exitAfter == nil && $0.sensitivity == sensitivity } ?? false
            return row(
                sensitivity.rawValue, isInForce: isInForce, falseExitsIf[sensitivity] ?? 0, delays[sensitivity])
        }
        if let exitAfter = inForce?.exitAfter {
            settings.append(
                row("exitAfter", exitAfter.seconds(digits: 3), isInForce: true, falseExitsAsConfigured, nil))
        }
        return CaptureScore.Region(
            identifier: region.identifier, insideHours: (stay / 3600).seconds(digits: 3),
            beacons: lastHeard.count, advertisements: advertisements, advertisingInterval: intervals.quantile(0.5),
            loss: losses.quantile(0.5)?.rounded(digits: 2), gaps: CaptureScore.Gaps(gaps),
            longSilences: longSilences, absences: max(0, exits - falseExits), settings: settings)
    }
}
