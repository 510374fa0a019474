import IBeacon

/// What the driver's regions stand for: one that is watched, or beacons that are ranged.
enum Subject: Hashable, Sendable {
    case region(BeaconRegion)
    case ranging(BeaconConstraint)

    /// What the driver calls it. No region of a person's can have the name of what is ranged.
    var name: String {
        switch self {
        case .region(let region): Self.name(ofRegion: region.identifier)
        case .ranging(let constraint): "ranging \(constraint)"
        }
    }

    /// What the driver calls a region with this identifier.
    static func name(ofRegion identifier: String) -> String { "region \(identifier)" }
}
