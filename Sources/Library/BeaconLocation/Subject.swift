import IBeacon

/// The meaning of the driver's regions: a region that is watched, or beacons that are ranged.
enum Subject: Hashable, Sendable {
    case region(BeaconRegion)
    case ranging(BeaconConstraint)

    /// The driver's name of it. The name of a ranged constraint differs from the names of all regions.
    var name: String {
        switch self {
        case .region(let region): Self.name(ofRegion: region.identifier)
        case .ranging(let constraint): "ranging \(constraint)"
        }
    }

    /// Returns the driver's name of a region with this identifier.
    static func name(ofRegion identifier: String) -> String { "region \(identifier)" }
}
