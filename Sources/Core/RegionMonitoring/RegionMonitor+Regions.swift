public import IBeacon

extension RegionMonitor {
    /// The positions of the regions that a beacon belongs to, the narrowest first, as they were found when it was first
    /// heard; none for one that is not remembered.
    ///
    /// It changes nothing: a monitor that is not to be changed would be copied for the call.
    @usableFromInline package mutating func regions(of identity: BeaconIdentity) -> [Int] {
        guard let slot = beacons.slot(of: identity) else { return [] }
        return beacons[slot].regions
    }
}
