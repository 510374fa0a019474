import RegionMonitoring

/// Time that was listened: the pauses are written down, and taken off anew for each question.
struct NaiveClock {
    private var pauses: [(from: Instant, to: Instant?)] = []

    /// The scan does not run before the first ``resume(at:)``.
    init(start: Instant) { pause(at: start) }

    var isPaused: Bool { pauses.last.map { $0.to == nil } ?? false }

    mutating func pause(at now: Instant) {
        if !isPaused { pauses.append((now, nil)) }
    }

    mutating func resume(at now: Instant) {
        if isPaused { pauses[pauses.count - 1].to = now }
    }

    /// Returns the scan time by `now`, counted from the clock's origin.
    func listened(at now: Instant) -> Duration {
        var listened = Instant(nanoseconds: 0).duration(to: now)
        for pause in pauses where pause.from < now { listened -= pause.from.duration(to: min(pause.to ?? now, now)) }
        return listened
    }

    /// Returns the time at which the scan time is reached if nothing happens before; `nil` during a pause.
    func instant(of listened: Duration, from now: Instant) -> Instant? {
        isPaused ? nil : now.advanced(by: listened - self.listened(at: now))
    }
}
