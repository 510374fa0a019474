public import Plumbing

/// A clock that stands still while nobody listens: time not listened is not silence.
///
/// It stands while the scan is off, and while the receiver is deaf: when many are in the air and suddenly none of them is
/// heard, nobody has left.
@usableFromInline
struct ListeningClock: Sendable {
    /// When listening stopped; nil while it goes on.
    @usableFromInline private(set) var pausedAt: Instant?

    /// How long it stood still in all, in nanoseconds.
    @usableFromInline private(set) var stoodStill: Int64 = 0

    /// When anybody was heard last, without what was paused since; in nanoseconds.
    @usableFromInline private(set) var lastHeard: Int64

    /// Who is in the air.
    private(set) var company = Company()

    /// How long after an advertisement there may be none: in nanoseconds.
    @usableFromInline private(set) var allowance = Self.shortestAllowance

    /// How long the receiver may be deaf before it is believed that all have left, in nanoseconds; 0 where too few are in
    /// the air to tell.
    @usableFromInline private(set) var credit: Int64 = 0

    /// The mean time between two advertisements of anybody, in nanoseconds. What is deaf counts as the allowance.
    private var meanGap: Int64 = 0

    /// How long the receiver was deaf in all, in nanoseconds.
    private(set) var deaf: Int64 = 0

    /// How long nobody was heard besides, with too few in the air to send nobody away for it, and enough to learn nothing
    /// from it; in nanoseconds.
    private(set) var doubtful: Int64 = 0

    /// Between two bursts of a receiver that is deaf most of the time, so much still counts; in nanoseconds. Chosen on
    /// recordings of such a receiver.
    private static let shortestAllowance: Int64 = 4_000_000_000

    /// Where few advertise, gaps of this many times the mean come by chance, once in four hundred. As long as the longest
    /// deafness they are nothing to go by.
    private static let rareGap: Int64 = 6

    /// What comes so close together is heard at once, in nanoseconds.
    private static let moment: UInt64 = 50_000_000

    /// Longer than any deafness that was recorded, which was 79 s; in nanoseconds.
    private static let longestDeafness: Int64 = 120_000_000_000

    /// Starts standing: nothing is listened to before ``resume(at:)``.
    init(pausedAt: Instant) {
        self.pausedAt = pausedAt
        lastHeard = pausedAt.nanoseconds
    }

    /// What the clock shows, in nanoseconds.
    @inline(__always)
    func reading(at now: Instant) -> Int64 {
        let now = (pausedAt.map { min($0, now) } ?? now).nanoseconds
        return now.subtractingClamped(stoodStill).subtractingClamped(deafness(at: now))
    }

    /// How much of the time since anybody was heard last the receiver was deaf.
    @inline(__always)
    private func deafness(at nanoseconds: Int64) -> Int64 {
        min(credit, max(0, nanoseconds.subtractingClamped(lastHeard).subtractingClamped(allowance)))
    }

    /// When the clock will show `reading` unless somebody is heard meanwhile, nil while it stands.
    @inlinable
    @inline(__always)
    func instant(of reading: Int64) -> Instant? {
        guard pausedAt == nil else { return nil }
        let instant = reading.addingClamped(stoodStill)
        let isBeforeDeafness = instant <= lastHeard.addingClamped(allowance)
        return Instant(nanoseconds: isBeforeDeafness ? instant : instant.addingClamped(credit))
    }

    /// An advertisement of anybody was heard.
    @inline(__always)
    mutating func heard(from address: UInt64, at now: Instant) {
        let nanoseconds = now.nanoseconds
        // In busy air it makes no difference when within a moment it was. A clock that ran back is no moment.
        if UInt64(bitPattern: nanoseconds &- lastHeard) < Self.moment, company.hasHeard(from: address) { return }
        noted(address, at: nanoseconds)
    }

    private mutating func noted(_ address: UInt64, at nanoseconds: Int64) {
        guard pausedAt == nil else { return }
        let gap = nanoseconds.subtractingClamped(lastHeard)
        if gap > allowance { nobodyWasHeard(for: gap - allowance) }
        lastHeard = max(lastHeard, nanoseconds)
        meanGap += (min(max(0, gap), allowance) - meanGap) / 64
        if company.heard(from: address, at: nanoseconds) { judgeCompany() }
    }

    private mutating func nobodyWasHeard(for time: Int64) {
        let deafness = min(credit, time)
        stoodStill = stoodStill.addingClamped(deafness)
        deaf = deaf.addingClamped(deafness)
        guard company.isSome else { return }
        doubtful = doubtful.addingClamped(min(time, Self.longestDeafness) - deafness)
    }

    private mutating func judgeCompany() {
        allowance = min(max(Self.shortestAllowance, Self.rareGap * meanGap), Self.longestDeafness)
        credit = company.isEnough ? Self.longestDeafness : 0
    }

    mutating func pause(at now: Instant) {
        if pausedAt == nil { pausedAt = now }
    }

    mutating func resume(at now: Instant) {
        guard let pausedAt else { return }
        let pause = max(0, pausedAt.duration(to: now).clampedNanoseconds)
        stoodStill = stoodStill.addingClamped(pause)
        lastHeard = lastHeard.addingClamped(pause)
        self.pausedAt = nil
    }
}
