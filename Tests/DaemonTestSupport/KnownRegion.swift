package import RegionMonitoring

/// The memory of a region with one sign.
package func known(
    _ region: MonitoredRegion, _ state: RegionState, exitTime: Duration? = nil
) -> RegionMonitor.Memory.Region {
    .init(
        identifier: region.identifier, lastKnown: state,
        signs: [.init(identity: region.sign.identity, lastKnown: state, learnedExitTime: exitTime)])
}
