import IBeacon

/// What the monitor's regions stand for: one that is watched, or beacons that are ranged.
enum Subject: Hashable, Sendable {
    case region(BeaconRegion)
    case ranging(BeaconConstraint)

    /// What the monitor calls it. No region of a person's can have the name of what is ranged.
    var name: String {
        switch self {
        case .region(let region): "region \(region.identifier)"
        case .ranging(let constraint): "ranging \(constraint)"
        }
    }
}
