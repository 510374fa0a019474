import HCI
import OkaeriPlumbing
package import RegionMonitoring

/// Decides whether a silence proves an absence: a failed controller receives as little as one in an empty house.
///
/// After a silence of the quiet period a scanner sends a command to its controller, and repeats it at growing
/// intervals, each at most twice as long. So during the silence of a working radio the last answer is never older
/// than two thirds of that silence. An answer proves that the controller works, not that it receives: if the air is
/// never silent, a silence that is much longer than usual makes the controller suspect, whatever it answers, until a
/// report comes in.
package struct RadioLiveness: Sendable {
    package internal(set) var quietPeriod: Duration?

    /// The beginning of the silence, and the last time at which the controller was known to work.
    private var lastReport = Instant(nanoseconds: 0)
    private var lastAnswer = Instant(nanoseconds: 0)

    /// The silence at the beginning of the present or the last pause of the scan.
    private var silenceBeforePause = Duration.zero

    private var survey = AirSurvey()
    private var isListening = false
    private var inside: Set<String> = []

    package private(set) var isSuspect = false

    /// The time at which a report ends the suspicion, when all devices have advertised; `nil` before the first.
    private var trustedAt: Instant?
    private static let grace: Int64 = 4_000_000_000

    private var isLost = false

    /// The beginning of the suspicion, and whether the scan was interrupted since then, as a power cycle does.
    private var suspectSince = Instant(nanoseconds: 0)
    private var wasInterrupted = false

    /// The limit of a suspicion without any decision of the scanner, after which the state is unknown: other programs
    /// may interrupt the scan again and again.
    private static let longestSuspicion: Int64 = 120_000_000_000

    private var rate = ReportRate()

    private var isDeparture = false

    /// - Parameter quietPeriod: The silence from which on only an answered one counts; `nil`: each counts.
    package init(quietPeriod: Duration?) {
        self.quietPeriod = quietPeriod
    }

    /// The silence from which on the controller is suspected to be deaf; `nil` where silence is normal.
    package var silenceLimit: Duration? { isDeparture ? nil : limit.map { .nanoseconds($0) } }

    /// The time at which the controller becomes suspect if it receives nothing until then.
    package var suspectAt: Instant? {
        guard isListening, !isSuspect, !isDeparture, let limit else { return nil }
        return Instant(nanoseconds: lastReport.nanoseconds.addingClamped(limit))
    }

    private var limit: Int64? {
        guard let quietPeriod, let longest = survey.longestSilence else { return nil }
        let quiet = quietPeriod.clampedNanoseconds
        // Two thirds of the shortest exit time at most, or the region would be left before the suspicion.
        let limit = min(max(quiet, 3 * longest), quiet + quiet / 3)
        return limit >= longest / 2 * 3 ? limit : nil
    }

    /// The radio was heard. Returns whether it was suspect until now and is not any longer.
    @discardableResult
    package mutating func reportReceived(at now: Instant) -> Bool {
        let silence = now.nanoseconds.subtractingClamped(lastReport.nanoseconds)
        lastReport = now
        lastAnswer = now
        isDeparture = false
        rate.received(at: now)
        guard isSuspect else { return false }
        // It received again without any repair: such silences are usual here.
        if trustedAt == nil, !wasInterrupted, !isLost { survey.add(silence: silence) }
        let trustedAt = trustedAt ?? Instant(nanoseconds: now.nanoseconds.addingClamped(Self.grace))
        guard now >= trustedAt else {
            self.trustedAt = trustedAt
            return false
        }
        // If a power cycle did not help, there was probably nothing to receive: without this, every departure would be lost.
        if isLost { survey.forget() }
        (isSuspect, isLost, wasInterrupted, self.trustedAt) = (false, false, false, nil)
        surveyIfPossible(at: now)
        return true
    }

    package mutating func otherDeviceHeard(at now: Instant) {
        survey.received(at: now)
    }

    package mutating func controllerHeard(at now: Instant) {
        lastAnswer = now
    }

    /// Handles that the scan began, or was interrupted: a pause is not a silence.
    ///
    /// - Parameters:
    ///   - share: The scan window divided by the scan interval; `nil` while the scan is off.
    ///   - isRetimed: Whether it begins with another timing than before. The silence then goes on without the pause:
    ///     the scanner changes the timing because a beacon is silent, so a deaf receiver would not be suspected in time.
    package mutating func listeningChanged(_ share: Double?, isRetimed: Bool = false, at now: Instant) {
        let isListening = share != nil
        self.isListening = isListening
        rate.shareChanged(to: share ?? 0, at: now)
        lastAnswer = now
        guard !isSuspect else {
            wasInterrupted = true
            return
        }
        if !isListening {
            silenceBeforePause = lastReport.duration(to: now)
        }
        lastReport = isListening && isRetimed ? now.advanced(by: .zero - silenceBeforePause) : now
        surveyIfPossible(at: now)
    }

    package mutating func determined(_ state: RegionState, region: String, at now: Instant) {
        let wasAway = inside.isEmpty
        if state == .inside { inside.insert(region) } else { inside.remove(region) }
        guard inside.isEmpty != wasAway else { return }
        survey.restart(at: now)
        surveyIfPossible(at: now)
    }

    package mutating func adapterLost() {
        isLost = isSuspect
    }

    /// Suspects the controller if it has received nothing for too long. Returns whether it is suspect from now on.
    package mutating func suspected(at now: Instant) -> Bool {
        guard let suspectAt, now >= suspectAt else { return false }
        guard rate.endedAtOnce else {
            isDeparture = true
            return false
        }
        isSuspect = true
        suspectSince = now
        survey.discardSilence()
        return true
    }

    /// Returns whether the suspicion has lasted for too long without a decision of the scanner; once.
    package mutating func suspicionExpired(at now: Instant) -> Bool {
        guard let expiry = suspicionExpiry, now >= expiry else { return false }
        isLost = true
        return true
    }

    /// The time at which ``suspicionExpired(at:)`` is next needed, or `nil` if not.
    package var suspicionExpiry: Instant? {
        guard isSuspect, !isLost, trustedAt == nil else { return nil }
        return Instant(nanoseconds: suspectSince.nanoseconds.addingClamped(Self.longestSuspicion))
    }

    /// Whether a silence proves an absence.
    package func isCertain(at now: Instant) -> Bool {
        guard let quietPeriod else { return true }
        if isSuspect { return false }
        if let suspectAt, now >= suspectAt { return false }
        let silence = lastReport.duration(to: now)
        return lastAnswer.duration(to: now) <= max(quietPeriod, silence * 2 / 3)
    }

    private mutating func surveyIfPossible(at now: Instant) {
        if quietPeriod != nil, inside.isEmpty, isListening, !isSuspect {
            survey.resume(at: now)
        } else {
            survey.pause(at: now)
        }
    }

    /// Returns the quiet period for these regions: well below the shortest time after which one of them is left.
    package static func quietPeriod(for regions: [MonitoredRegion]) -> Duration {
        let exitTimes = regions.flatMap(\.signs).map { $0.exitAfter ?? $0.shortestExitAfter }
        return min(.seconds(10), exitTimes.min().map { $0 / 2 } ?? .seconds(10))
    }
}

/// The time of listening, and the part of it in which the scan windows were open: what the scan takes of the antenna.
struct AirTime: Sendable {
    /// The last interval and window.
    private(set) var timing: ScanTiming?

    private var since: Instant?
    private var total: Int64 = 0
    private var open: Int64 = 0

    mutating func listeningChanged(_ timing: ScanTiming?, at now: Instant) {
        count(to: now)
        since = timing == nil ? nil : now
        if let timing { self.timing = timing }
    }

    /// Returns the time since the start.
    func listened(at now: Instant) -> (total: Duration, open: Duration) {
        var counted = self
        counted.count(to: now)
        return (.nanoseconds(counted.total), .nanoseconds(counted.open))
    }

    private mutating func count(to now: Instant) {
        guard let since, let timing else { return }
        let length = max(0, now.nanoseconds.subtractingClamped(since.nanoseconds))
        total = total.addingClamped(length)
        // The clock of a capture may jump by any time; 2^63 as a Double does not fit.
        open = open.addingClamped(timing.share < 1 ? Int64(Double(length) * timing.share) : length)
        self.since = now
    }
}
