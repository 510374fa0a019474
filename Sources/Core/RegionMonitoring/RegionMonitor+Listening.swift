import Plumbing

/// The share of the time in which the adapter listens, and beacons that are late.
extension RegionMonitor {
    /// Handles that the scan receives for another share of the time from now on: window / interval.
    public mutating func listeningShareChanged(to share: Double, at now: Instant) {}

    /// Whether a beacon that keeps a region inside is late by its own standard, and its exit is not decided yet.
    public var hasLateBeacon: Bool { false }
}
