public import IBeacon

/// One advertisement of one beacon, as it was received.
public struct BeaconSighting: Hashable, Sendable {
    /// The beacon's identity.
    public var identity: BeaconIdentity

    /// The RSSI at one metre by its manufacturer, in dBm.
    public var measuredPower: Int8

    /// The RSSI here, in dBm; `nil` if unknown: then it proves presence and has no distance.
    public var rssi: Int8?

    /// The radio that received it.
    public var radio: RadioID

    /// One advertisement; both strengths in dBm.
    @inlinable
    @inline(__always)
    public init(identity: BeaconIdentity, measuredPower: Int8, rssi: Int8?, radio: RadioID = .own) {
        self.identity = identity
        self.measuredPower = measuredPower
        self.rssi = rssi
        self.radio = radio
    }
}
