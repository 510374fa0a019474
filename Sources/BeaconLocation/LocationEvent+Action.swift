import RegionMonitoring

extension LocationEvent {
    /// What the monitor announced; nil where it is nothing to tell, such as the state of what is only ranged.
    ///
    /// - Parameter reason: why ranging fails, if it does.
    init?(_ action: RegionMonitor.Action, _ subjects: [String: Subject], reason: String?) {
        switch action {
        case .didStartMonitoring(let name):
            guard case .region(let region)? = subjects[name] else { return nil }
            self = .didStartMonitoring(region)
        case .didDetermineState(let name, let state):
            guard case .region(let region)? = subjects[name] else { return nil }
            self = .didDetermineState(state, region)
        case .didEnterRegion(let name, let beacon):
            guard case .region(let region)? = subjects[name] else { return nil }
            self = .didEnterRegion(region, beacon)
        case .didExitRegion(let name):
            guard case .region(let region)? = subjects[name] else { return nil }
            self = .didExitRegion(region)
        case .didRangeBeacons(let name, let beacons):
            guard case .ranging(let constraint)? = subjects[name] else { return nil }
            self = .didRange(beacons, constraint)
        case .rangingBeaconsDidFail(let name):
            guard case .ranging(let constraint)? = subjects[name] else { return nil }
            self = .rangingDidFail(constraint, reason: reason ?? "the adapter is lost")
        case .silenceDidEnd: return nil
        }
    }
}
