/// Finds the regions a beacon belongs to, at a cost that does not grow with their number: at most three look-ups.
public struct RegionMatcher: Sendable {
    private var regions: [BeaconConstraint: [Int]] = [:]
    private var owners: Set<BeaconUUID> = []

    /// - Parameter constraints: one for each region; a match is answered by its position here. `nil` matches no beacon.
    public init(_ constraints: [BeaconConstraint?]) {
        for (index, constraint) in constraints.enumerated() {
            guard let constraint else { continue }
            regions[constraint, default: []].append(index)
            owners.insert(constraint.uuid)
        }
    }

    /// The positions of the regions that `beacon` belongs to, the narrowest first. Another beacon costs no allocation.
    public func matches(_ beacon: BeaconIdentity) -> [Int] {
        guard owners.contains(beacon.uuid) else { return [] }
        var found = regions[.minor(beacon.uuid, beacon.major, beacon.minor)] ?? []
        found += regions[.major(beacon.uuid, beacon.major)] ?? []
        found += regions[.uuid(beacon.uuid)] ?? []
        return found
    }
}
