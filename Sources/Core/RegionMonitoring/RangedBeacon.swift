public import IBeacon

/// One beacon in a ranging callback. CoreLocation's `CLBeacon`.
public struct RangedBeacon: Hashable, Sendable {
    /// The beacon's identity.
    public var identity: BeaconIdentity

    /// The mean RSSI since the last callback in dBm; 0 when nothing was heard since.
    public var rssi: Int

    /// The estimated distance in metres; -1 when it is not known.
    public var accuracy: Double

    /// The class of the distance.
    public var proximity: Proximity

    /// A beacon at a distance in metres, -1 for unknown; the class follows from it.
    public init(identity: BeaconIdentity, rssi: Int, accuracy: Double) {
        self.identity = identity
        self.rssi = rssi
        self.accuracy = accuracy
        self.proximity = Proximity(accuracy: accuracy)
    }

    /// CoreLocation's order: immediate, near, far, unknown, and by distance among equals.
    static func nearestFirst(_ left: Self, _ right: Self) -> Bool {
        (left.proximity.rank, left.accuracy, left.identity) < (right.proximity.rank, right.accuracy, right.identity)
    }
}
