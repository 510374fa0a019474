package import IBeacon
import OkaeriPlumbing

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

extension BeaconIdentity {
    /// The first half of the identities of phones: "okaeri" as a custom UUID (RFC 9562, Section 5.8).
    private static let phones: UInt64 = 0x6F6B_6165_7269_8070

    /// The identity of a phone among beacons, by the path of its key file: a restart keeps what was learned, and the key is not a part of
    /// it. An advertisement with the same numbers is not a reception of the phone.
    package init(phone file: String) {
        let low = file.utf8.fnv1a & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        self.init(uuid: BeaconUUID(high: Self.phones, low: low), major: 0, minor: 0)
    }

    /// Whether it is a phone's.
    package var isPhone: Bool { uuid.high == Self.phones }
}
