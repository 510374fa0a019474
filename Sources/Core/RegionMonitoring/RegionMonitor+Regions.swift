public import IBeacon

extension RegionMonitor {
    /// The positions of the regions that a beacon belongs to, the narrowest first, as determined at its first
    /// reception; none for a beacon that is not stored.
    ///
    /// Not mutating: a monitor that must not change would be copied for the call.
    @usableFromInline package mutating func regions(of identity: BeaconIdentity) -> [Int] {
        guard let slot = beacons.slot(of: identity) else { return [] }
        return beacons[slot].regions
    }

    /// Returns the positions of the regions that use a beacon's battery level. The beacon need not be stored.
    package func regionsWithBattery(of identity: BeaconIdentity) -> [Int] {
        matcher.matches(identity).filter { trackers[$0].region.battery != .off }
    }
}
