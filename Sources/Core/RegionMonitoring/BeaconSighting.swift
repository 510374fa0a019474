public import IBeacon

/// One advertisement of one beacon, as it was received.
public struct BeaconSighting: Hashable, Sendable {
    /// Which beacon it was.
    public var identity: BeaconIdentity

    /// What its maker says its RSSI is at one metre, in dBm.
    public var measuredPower: Int8

    /// How strong it was here, in dBm; nil when the controller could not say. Then it proves presence and says
    /// nothing of distance.
    public var rssi: Int8?

    /// One advertisement; both strengths in dBm.
    @inlinable
    @inline(__always)
    public init(identity: BeaconIdentity, measuredPower: Int8, rssi: Int8?) {
        self.identity = identity
        self.measuredPower = measuredPower
        self.rssi = rssi
    }
}
