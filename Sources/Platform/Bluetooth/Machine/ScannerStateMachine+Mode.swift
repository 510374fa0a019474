import HCI

/// The choice of the scan interval and window, and its changes during a scan.
extension ScannerStateMachine {
    /// Handles that 2.4 GHz Wi-Fi, which may share the antenna, is in use from now on or no longer; `nil`: it is unknown.
    public mutating func wifiChanged(isUsed: Bool?, at now: Int64) -> [Action] {
        policy.wifiChanged(isUsed: isUsed, at: now)
        return modeDecided(at: now)
    }

    /// Handles that a beacon that keeps a region inside is late, or no longer.
    public mutating func lateBeaconChanged(_ isLate: Bool, at now: Int64) -> [Action] {
        policy.lateBeaconChanged(isLate, at: now)
        return modeDecided(at: now)
    }

    /// Whether ``lateBeaconChanged(_:at:)`` may change the scan.
    public var heedsLateBeacons: Bool { policy.heedsLateBeacons }

    /// Whether a beacon was late at the last ``lateBeaconChanged(_:at:)``.
    public var isBeaconLate: Bool { policy.isBeaconLate }

    /// Passes the scan's state to the policy, and its decision to the session.
    mutating func modeDecided(at now: Int64) -> [Action] {
        policy.advanced(to: now, isPaused: !(session?.followsTiming ?? false), hasConnection: !connections.isEmpty)
        let timing = policy.mode.timing
        let actions = session?.timing == timing ? [] : inSession { $0.timingChanged(timing, at: now) }
        return actions + modeReported()
    }

    /// The mode, if it has changed; not before the first scan.
    mutating func modeReported() -> [Action] {
        guard isListening || lastMode != nil else { return [] }
        let theirs = session?.adoptedTiming.map { ScanMode(timing: $0, reason: .otherProgram) }
        let mode = theirs ?? policy.mode
        guard mode != lastMode else { return [] }
        lastMode = mode
        return [.mode(mode)]
    }
}
