/// A place that is known by its beacons. CoreLocation's `CLBeaconRegion`.
public struct BeaconRegion: Hashable, Sendable {
    /// The name a person gave it, unique among the regions that are monitored.
    public let identifier: String

    /// Its beacons.
    public let constraint: BeaconConstraint

    /// Creates a region from its name and its beacons; the caller ensures that the name is unique.
    public init(identifier: String, constraint: BeaconConstraint) {
        self.identifier = identifier
        self.constraint = constraint
    }
}
