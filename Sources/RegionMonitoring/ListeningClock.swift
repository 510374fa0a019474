/// A clock that stands still while nobody listens: time not listened is not silence.
@usableFromInline
struct ListeningClock: Sendable {
    /// When listening stopped; nil while it goes on.
    @usableFromInline private(set) var pausedAt: Instant?

    /// How long it stood still in all, in nanoseconds.
    @usableFromInline private(set) var stoodStill: Int64 = 0

    /// Starts standing: nothing is listened to before ``resume(at:)``.
    init(pausedAt: Instant) {
        self.pausedAt = pausedAt
    }

    /// What the clock shows, in nanoseconds.
    @inline(__always)
    func reading(at now: Instant) -> Int64 {
        (pausedAt.map { min($0, now) } ?? now).nanoseconds.subtractingClamped(stoodStill)
    }

    /// When the clock will show `reading`, nil while it stands.
    @inlinable
    func instant(of reading: Int64) -> Instant? {
        pausedAt == nil ? Instant(nanoseconds: reading.addingClamped(stoodStill)) : nil
    }

    mutating func pause(at now: Instant) {
        if pausedAt == nil { pausedAt = now }
    }

    mutating func resume(at now: Instant) {
        guard let pausedAt else { return }
        stoodStill = stoodStill.addingClamped(max(0, pausedAt.duration(to: now).clampedNanoseconds))
        self.pausedAt = nil
    }
}
