public import Plumbing

/// The clock that measures silences: the time in which the scan was on, and the part of it in which the receiver was deaf.
///
/// A receiver is deaf when it receives nothing of the devices that it received all the time: see ``NearbyDevices``. Learning and
/// judging measure every silence by ``Reading/silence(since:tolerance:)``.
@usableFromInline
struct ListeningClock: Sendable {
    struct Reading: Sendable {
        /// The time in which the scan was on, counted from the origin of the monitor's clock.
        var listened: Int64
        /// The part of it in which the receiver was deaf.
        var deaf: Int64
        /// Whether a deafness of the receiver was confirmed within the last hour.
        var wasDeafOfLate: Bool

        /// The length of a silence that lasts until this reading.
        ///
        /// - Parameter tolerance: The longest deaf time that is subtracted from it.
        @inline(__always)
        func silence(since start: Reading, tolerance: @autoclosure () -> Int64) -> Int64 {
            let elapsed = listened.subtractingClamped(start.listened)
            return deaf > start.deaf ? elapsed.subtractingClamped(excused(since: start, tolerance())) : elapsed
        }

        /// The time listened at which a silence reaches `length`, if the receiver is not deaf from now on.
        func end(of length: Int64, since start: Reading, tolerance: Int64) -> Int64 {
            start.listened.addingClamped(length).addingClamped(excused(since: start, tolerance))
        }

        private func excused(since start: Reading, _ tolerance: Int64) -> Int64 {
            min(max(0, deaf.subtractingClamped(start.deaf)), tolerance)
        }
    }

    /// The moment the scan stopped, or `nil` while it is on.
    @usableFromInline private(set) var pausedAt: Instant?

    /// The time in which the scan was off, in nanoseconds.
    @usableFromInline private(set) var paused: Int64 = 0

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
        lastHeard = pausedAt.nanoseconds
    }

    @inline(__always)
    func reading(at now: Instant) -> Reading {
        let listened = listened(at: now)
        return Reading(
            listened: listened, deaf: deaf.addingClamped(deafness(at: listened)),
            wasDeafOfLate: wasDeafOfLate(at: listened))
    }

    /// The reading by which silences are judged: a deaf receiver is taken to remain so until a reception.
    func readingForJudgement(at now: Instant) -> Reading {
        let listened = listened(at: now)
        return Reading(
            listened: listened, deaf: deafness(at: listened) > 0 ? .max : deaf,
            wasDeafOfLate: wasDeafOfLate(at: listened))
    }

    @inline(__always)
    private func listened(at now: Instant) -> Int64 {
        (pausedAt.map { min($0, now) } ?? now).nanoseconds.subtractingClamped(paused)
    }

    @inline(__always)
    private func deafness(at listened: Int64) -> Int64 {
        let silence = listened.subtractingClamped(lastHeard)
        return silence > proof ? silence.subtractingClamped(Self.grace) : 0
    }

    /// The moment at which so much will have been listened, or `nil` while the scan is off.
    @inlinable
    @inline(__always)
    func instant(ofListened listened: Int64) -> Instant? {
        pausedAt == nil ? Instant(nanoseconds: listened.addingClamped(paused)) : nil
    }

    /// Records the reception of a device that is no evidence of deafness when it falls silent.
    ///
    /// - Returns: whether the receiver was deaf until now.
    @inline(__always)
    mutating func heard(at now: Instant) -> Bool {
        guard pausedAt == nil else { return false }
        let listened = now.nanoseconds.subtractingClamped(paused)
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

    /// Records the reception of a device.
    ///
    /// - Returns: whether the receiver was deaf until now.
    @inline(__always)
    mutating func heard(from key: UInt64, at now: Instant) -> Bool {
        let wasDeaf = heard(at: now)
        if pausedAt == nil { devices.heard(key, at: lastHeard) }
        return wasDeaf
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
        if pausedAt == nil { pausedAt = now }
    }

    mutating func resume(at now: Instant) {
        guard let pausedAt else { return }
        paused = paused.addingClamped(max(0, pausedAt.duration(to: now).clampedNanoseconds))
        self.pausedAt = nil
    }

    /// The other devices in range, by the last reception.
    var air: RegionMonitor.Air {
        RegionMonitor.Air(
            devices: devices.count(at: lastHeard), isCompany: proof < .max, deaf: .nanoseconds(deaf))
    }
}
