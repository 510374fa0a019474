import OkaeriPlumbing
import RegionMonitoring

/// The longest silence of all devices while no region is inside: then receptions come from devices that stay.
///
/// iBeacons do not count. A beacon that is received outside its region, weakly or for a moment, leaves with the person.
struct AirSurvey: Sendable {
    /// A shorter survey gives no result, and is continued by the next. After an expectation that proved wrong a day is
    /// needed, twice that after each further one: devices at home on some days only would be expected again.
    private static let shortest: Int64 = 60_000_000_000
    private static let afterMistake: Int64 = 86_400_000_000_000

    private static let normalSilence: Int64 = 10_000_000_000

    /// The time at which the survey was last continued, or `nil` while it is interrupted.
    private var since: Instant?

    /// The present silence up to then, the longest one of this survey, and the time that they all cover, in nanoseconds. An
    /// interruption does not end a silence.
    private var silence: Int64 = 0
    private var longest: Int64 = 0
    private var surveyed: Int64 = 0

    private var needed = shortest

    private var former: Int64?

    /// The longest silence of the last survey that was long enough, in nanoseconds, or `nil` where silence is normal.
    var longestSilence: Int64? {
        guard surveyed >= needed else { return former }
        return longest < Self.normalSilence ? longest : nil
    }

    /// Ends the survey, its last silence included, and begins a new one if it was long enough.
    mutating func restart(at now: Instant) {
        pause(at: now)
        endSilence()
        guard surveyed >= needed else { return }
        former = longestSilence
        (longest, surveyed) = (0, 0)
    }

    mutating func received(at now: Instant) {
        guard since != nil else { return }
        count(to: now)
        endSilence()
    }

    mutating func resume(at now: Instant) {
        if since == nil { since = now }
    }

    mutating func pause(at now: Instant) {
        count(to: now)
        since = nil
    }

    mutating func discardSilence() {
        (since, silence) = (nil, 0)
    }

    /// Counts a silence that was discarded and later proved to be usual.
    mutating func add(silence: Int64) {
        longest = max(longest, silence)
        if let former { self.former = silence < Self.normalSilence ? max(former, silence) : nil }
    }

    /// Assumes that silence is normal until a long survey has another result.
    mutating func forget() {
        former = nil
        needed = max(Self.afterMistake, needed.addingClamped(needed))
        (longest, surveyed) = (0, 0)
    }

    private mutating func count(to now: Instant) {
        guard let since else { return }
        silence = silence.addingClamped(now.nanoseconds.subtractingClamped(since.nanoseconds))
        self.since = now
    }

    private mutating func endSilence() {
        longest = max(longest, silence)
        surveyed = surveyed.addingClamped(silence)
        silence = 0
    }
}
