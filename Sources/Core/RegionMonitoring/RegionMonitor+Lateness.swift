import Plumbing

/// The late beacons. A scanner that shares the antenna listens fully until they are received, or their exit is decided.
extension RegionMonitor {
    /// Whether a beacon that keeps a region inside is late by its own standard, and neither received nor gone yet.
    ///
    /// Determined only while the scan has a share of the time, because a receiver that always listens cannot listen more.
    public var hasLateBeacon: Bool { !lateSigns.isEmpty }

    /// Determines the time at which the next beacon may be late.
    mutating func scheduleLateness(at now: Instant) {
        guard clock.share < 1 || hasLateBeacon else {
            nextLateness = nil
            return
        }
        nextLateness = timed.compactMap { index in
            guard !lateSigns.contains(index) else { return nil }
            guard let remaining = remainingUntilLate(index, at: now) else { return nil }
            return clock.instant(after: max(0, remaining), of: .listening, from: now)
        }.min()
    }

    /// Handles that a beacon may be late. It is not if it was received meanwhile.
    mutating func latenessJudged(at now: Instant) {
        for index in timed where !lateSigns.contains(index) {
            if let remaining = remainingUntilLate(index, at: now), remaining <= 0 { lateSigns.append(index) }
        }
        scheduleLateness(at: now)
    }

    /// Handles a reception, or an exit: signs with a beacon in time, or without one, are not late any more.
    mutating func latenessEnded(at now: Instant) {
        lateSigns = lateSigns.filter { index in remainingUntilLate(index, at: now).map { $0 <= 0 } ?? false }
        scheduleLateness(at: now)
    }

    /// Returns the listening time of the own radio until the beacon of a sign is late; `nil` for a sign without one, for one that other
    /// radios receive, and for a phone, which is silent because it sleeps.
    private func remainingUntilLate(_ index: Int, at now: Instant) -> Int64? {
        guard case .inside(let holder) = signs[index].phase, !beacons[holder].isPhone,
            let start = signs[index].silentSince.part(of: 0)
        else { return nil }
        let end = signs[index].end(of: beacons[holder])
        // Of a configured time the half, too: its seconds are those of the scan.
        let half = Double(end.length) / 2 * (end.clock == .scanning ? clock.share : 1)
        let late = min(beacons[holder].silences.lateness.clampedNanoseconds, Int64(half))
        return late.subtractingClamped(clock.reading(at: now).silence(since: start.reading, tolerance: end.tolerance))
    }
}
