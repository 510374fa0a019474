import OkaeriPlumbing

/// The clock of one radio that measures silences: the time in which the scan was on, the part of it in which the receiver was in a scan
/// window, and the part of that in which it was deaf.
///
/// A second of a scan with a window of half the interval counts half: the receiver can have missed an advertisement in the other
/// half. So what is learned with one share of the air holds with every other. A receiver is deaf when it receives nothing of the
/// devices that it received all the time: see ``NearbyDevices``. Learning and judging measure every silence by
/// ``Reading/silence(since:tolerance:)``.
struct ListeningClock: Sendable {
    struct Reading: Hashable, Sendable {
        /// The time in which the scan was on, in nanoseconds, counted from the origin of the monitor's clock.
        var scanned: Int64
        /// The part of it in a scan window, with the same origin.
        var listened: Int64
        /// The part of that in which the receiver was deaf.
        var deaf: Int64
        /// Whether a deafness of the receiver was confirmed within the last hour.
        var wasDeafOfLate: Bool

        /// The length of a silence that lasts until this reading, in listening time.
        ///
        /// - Parameter tolerance: The longest deaf time that is subtracted from it.
        @inline(__always)
        func silence(since start: Reading, tolerance: @autoclosure () -> Int64) -> Int64 {
            let elapsed = listened.subtractingClamped(start.listened)
            return deaf > start.deaf ? elapsed.subtractingClamped(excused(since: start, tolerance())) : elapsed
        }

        /// The length of a silence that lasts until this reading, on the clock of a limit.
        @inline(__always)
        func silence(since start: Reading, by limit: SilenceLimit) -> Int64 {
            let elapsed =
                switch limit.clock {
                case .scanning: scanned.subtractingClamped(start.scanned)
                case .listening: listened.subtractingClamped(start.listened)
                }
            return elapsed.subtractingClamped(excused(since: start, limit.tolerance))
        }

        /// The time on the clock of a limit until a silence reaches it, if the receiver is not deaf from now on; zero or less
        /// when it is reached.
        @inline(__always)
        func remaining(of limit: SilenceLimit, since start: Reading) -> Int64 {
            limit.length.subtractingClamped(silence(since: start, by: limit))
        }

        private func excused(since start: Reading, _ tolerance: Int64) -> Int64 {
            min(max(0, deaf.subtractingClamped(start.deaf)), tolerance)
        }
    }

    /// The moment the scan stopped, or `nil` while it is on.
    private(set) var pausedAt: Instant?

    /// The part of the scan time in which the receiver is in a scan window, more than 0 and at most 1.
    private(set) var share = 1.0

    /// The moment from which the times are counted on: the last begin, pause, or change of the share; and the times at that moment.
    private var mark: Instant
    private var scanned: Int64
    private var listened: Int64

    private var lastHeard: Int64

    /// The deafness that has ended, in nanoseconds.
    private var deaf: Int64 = 0

    private var devices = NearbyDevices()

    /// The silence of all devices that proves deafness, in nanoseconds; the maximum if there is too little evidence.
    private var proof = Int64.max

    /// The same for a receiver without an earlier deafness: only such evidence confirms.
    private var firstProof = Int64.max

    private var provenAt = Int64.min

    /// A deafness whose end is so recent that its devices may still return.
    private var unconfirmed: Range<Int64>?

    /// The time listened at which devices returned after a deafness.
    private var confirmedAt: Int64?

    /// After each advertisement of any device this much counts as listened, in nanoseconds: a receiver that is deaf most of the
    /// time receives in bursts. Chosen on recordings of such a receiver.
    private static let grace: Int64 = 4_000_000_000

    /// The time between two computations of `proof`, in nanoseconds.
    private static let proofInterval: UInt64 = 1_000_000_000

    /// A deafness is confirmed if it lasts for so many times the proof, and so many of the devices are received again within so
    /// many nanoseconds.
    private static let convincing = 1.5
    private static let returning = 3
    private static let returnTime: Int64 = 10_000_000_000

    /// The time for which a confirmed deafness makes another one likely, in nanoseconds.
    private static let memory: Int64 = 3_600_000_000_000

    /// Creates a clock that stands until ``resume(at:)``.
    init(pausedAt: Instant) {
        self.pausedAt = pausedAt
        (mark, scanned, listened) = (pausedAt, pausedAt.nanoseconds, pausedAt.nanoseconds)
        lastHeard = pausedAt.nanoseconds
    }

    @inline(__always)
    func reading(at now: Instant) -> Reading {
        reading(at: now, listened: listened(at: now))
    }

    @inline(__always)
    private func reading(at now: Instant, listened: Int64) -> Reading {
        Reading(
            scanned: scanned(at: now), listened: listened, deaf: deaf.addingClamped(deafness(at: listened)),
            wasDeafOfLate: wasDeafOfLate(at: listened))
    }

    /// The reading by which silences are judged: a deaf receiver is taken to remain so until a reception.
    @inline(__always)
    func readingForJudgement(at now: Instant) -> Reading {
        let listened = listened(at: now)
        return Reading(
            scanned: scanned(at: now), listened: listened, deaf: deafness(at: listened) > 0 ? .max : deaf,
            wasDeafOfLate: wasDeafOfLate(at: listened))
    }

    @inline(__always)
    private func scanned(at now: Instant) -> Int64 {
        pausedAt == nil ? scanned.addingClamped(now.nanoseconds.subtractingClamped(mark.nanoseconds)) : scanned
    }

    @inline(__always)
    private func listened(at now: Instant) -> Int64 {
        guard pausedAt == nil else { return listened }
        let elapsed = now.nanoseconds.subtractingClamped(mark.nanoseconds)
        return listened.addingClamped(share == 1 ? elapsed : Int64(clamping: Double(elapsed) * share))
    }

    @inline(__always)
    private func deafness(at listened: Int64) -> Int64 {
        let silence = listened.subtractingClamped(lastHeard)
        return silence > proof ? silence.subtractingClamped(Self.grace) : 0
    }

    /// The moment at which so much time will have passed on one of the clocks, or `nil` while the scan is off.
    @inline(__always)
    func instant(after time: Int64, of clock: SilenceLimit.Clock, from now: Instant) -> Instant? {
        guard pausedAt == nil else { return nil }
        switch clock {
        case .scanning: return Instant(nanoseconds: now.nanoseconds.addingClamped(time))
        case .listening:
            // Rounded up: at the moment the time has passed.
            let time = share == 1 ? time : Int64(clamping: (Double(time) / share).rounded(.up))
            return Instant(nanoseconds: now.nanoseconds.addingClamped(time))
        }
    }

    /// Records a reception while the scan is on. Returns whether the receiver was deaf until now.
    @inline(__always)
    private mutating func heard(at listened: Int64) -> Bool {
        if listened < lastHeard.subtractingClamped(Self.returnTime) { ranBack(to: listened) }
        let deafness = deafness(at: listened)
        if deafness > 0 { deafnessEnded(at: listened) }
        lastHeard = max(lastHeard, listened)
        // Unsigned, so that it is computed after a clock ran back, too.
        if UInt64(bitPattern: listened &- provenAt) > Self.proofInterval { computeProof(at: listened) }
        guard deafness > 0 else { return false }
        deaf = deaf.addingClamped(deafness)
        return true
    }

    /// Records a reception. Returns whether the receiver was deaf until now, and the reading, because a call of ``reading(at:)``
    /// would copy the clock for each report.
    ///
    /// - Parameter key: The device, or `nil` for one whose silence does not prove deafness.
    @inline(__always)
    mutating func heard(from key: UInt64?, at now: Instant) -> (wasDeaf: Bool, listened: Reading) {
        let listened = listened(at: now)
        guard pausedAt == nil else { return (false, reading(at: now, listened: listened)) }
        let wasDeaf = heard(at: listened)
        if let key { devices.heard(key, at: lastHeard) }
        return (wasDeaf, reading(at: now, listened: listened))
    }

    /// Discards observations that are later than now.
    private mutating func ranBack(to listened: Int64) {
        lastHeard = listened
        devices = NearbyDevices()
        (unconfirmed, confirmedAt) = (nil, nil)
        computeProof(at: listened)
    }

    private mutating func deafnessEnded(at listened: Int64) {
        guard unconfirmed == nil, Double(listened.subtractingClamped(lastHeard)) > Self.convincing * Double(firstProof)
        else { return }
        unconfirmed = lastHeard..<listened
    }

    private mutating func computeProof(at listened: Int64) {
        if let deafness = unconfirmed, listened.subtractingClamped(deafness.upperBound) > Self.returnTime {
            if devices.returned(after: deafness) >= Self.returning { confirmedAt = listened }
            unconfirmed = nil
        }
        firstProof = proof(.first)
        proof = wasDeafOfLate(at: listened) ? proof(.again) : firstProof
        provenAt = listened
    }

    private func proof(_ requirement: NearbyDevices.Requirement) -> Int64 {
        devices.proof(at: lastHeard, requirement).map { max($0, Self.grace) } ?? .max
    }

    private func wasDeafOfLate(at listened: Int64) -> Bool {
        confirmedAt.map { (0..<Self.memory).contains(listened.subtractingClamped($0)) } ?? false
    }

    mutating func pause(at now: Instant) {
        guard pausedAt == nil else { return }
        count(to: now)
        pausedAt = now
    }

    mutating func resume(at now: Instant) {
        guard pausedAt != nil else { return }
        (pausedAt, mark) = (nil, now)
    }

    /// Handles that the receiver is in a scan window for this part of the time from now on.
    mutating func shareChanged(to share: Double, at now: Instant) {
        count(to: now)
        self.share = share > 0 ? min(share, 1) : 1
    }

    private mutating func count(to now: Instant) {
        (scanned, listened, mark) = (scanned(at: now), listened(at: now), now)
    }

    /// The other devices in range, by the last reception.
    var air: RegionMonitor.Air {
        RegionMonitor.Air(
            devices: devices.count(at: lastHeard), isRepresentative: proof < .max, deaf: .nanoseconds(deaf))
    }
}

/// The silence that ends the presence of a sign.
struct SilenceLimit: Hashable, Comparable, Sendable {
    enum Clock: Sendable {
        /// The time in which the scan is on: that of configured times, which people count in seconds.
        case scanning
        /// The part of it in a scan window: that of learned times.
        case listening
    }

    /// In nanoseconds.
    var length: Int64
    var clock: Clock
    /// The longest deaf time that is subtracted from the silence, in nanoseconds.
    var tolerance: Int64

    static func < (one: Self, other: Self) -> Bool { one.length < other.length }
}

extension Int64 {
    /// Converts a number of nanoseconds; one beyond 64 bits becomes the nearest.
    fileprivate init(clamping number: Double) {
        self = number >= 9.2e18 ? .max : number <= -9.2e18 ? .min : Int64(number)
    }
}
