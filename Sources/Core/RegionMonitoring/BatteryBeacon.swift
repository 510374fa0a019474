package import IBeacon

/// A beacon whose battery level is to be read by a connection.
package struct BatteryBeacon: Sendable, Equatable {
    package var identity: BeaconIdentity
    /// The identifier of its region.
    package var region: String
    /// Its present address, `DC:A6:32:01:02:03`.
    package var address: String

    package init(identity: BeaconIdentity, region: String, address: String) {
        (self.identity, self.region, self.address) = (identity, region, address)
    }
}
