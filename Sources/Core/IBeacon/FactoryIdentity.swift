/// The identities that beacons have when they are delivered: those of many households.
package enum FactoryIdentity {
    /// The UUIDs, with the makers in words.
    private static let owners: KeyValuePairs<BeaconUUID, String> = [
        // The WeChat example, which makers of beacons in China adopted: Feasycom, Holy-IoT, Minew and others.
        owner(0xFDA5_0693_A4E2_4FB1, 0xAFCF_C6EB_0764_7825): "many makers of tags",
        owner(0xB940_7F30_F5F8_466E, 0xAFF9_2555_6B57_FE6D): "Estimote",
        // Apple's sample AirLocate: simulators and beacons of several makers have its UUIDs.
        owner(0xE2C5_6DB5_DFFB_48D2, 0xB060_D0F5_A710_96E0): "Apple's sample AirLocate",
        owner(0x5A4B_CFCE_174E_4BAC, 0xA814_092E_77F6_B7E5): "Apple's sample AirLocate",
        owner(0xF782_6DA6_4FA2_4E98, 0x8024_BC5B_71E0_893E): "Kontakt.io",
        owner(0x2F23_4454_CF6D_4A0F, 0xADF2_F491_1BA9_FFA6): "Radius Networks",
        // The modules of Jinan Huamao (HM-10 and others) and Cypress' kits; AirLocate lists it as well.
        owner(0x7427_8BDA_B644_4520, 0x8F0C_720E_AF05_9935): "HM-10 and Cypress",
        // ble_app_beacon of Nordic's nRF5 SDK, the firmware of many boards.
        owner(0x0112_2334_4556_6778, 0x899A_ABBC_CDDE_EFF0): "Nordic's example",
        // A beacon without settings, such as the iBKS 105 of Accent Systems.
        owner(0, 0): "beacons without settings",
    ]

    /// Majors and minors that beacons are delivered with, whatever their UUID.
    private static let numbers: [(major: UInt16, minor: UInt16)] = [
        (0, 0), (0, 1), (1, 0), (1, 1),
        // HM-10 (AT+MARJ, AT+MINO).
        (0xFFE0, 0xFFE1),
        // Nordic's ble_app_beacon.
        (0x0102, 0x0304),
        // Tags of different makers with the UUID of the WeChat example: public recordings have dozens of transmitters with it.
        (10_073, 61_418),
    ]

    private static func owner(_ high: UInt64, _ low: UInt64) -> BeaconUUID { BeaconUUID(high: high, low: low) }

    /// Returns why beacons of other households may match a constraint: what follows "the UUID is that of". `nil` if they do not.
    package static func reason(_ constraint: BeaconConstraint) -> String? {
        guard let (owner, maker) = owners.first(where: { $0.key & constraint.mask.uuid == constraint.uuid }) else {
            return nil
        }
        guard constraint.major != nil, constraint.minor != nil else {
            return "\(maker), and the region has each beacon with it, also a neighbour's"
        }
        let new = numbers.first {
            constraint.matches(BeaconIdentity(uuid: owner, major: $0.major, minor: $0.minor))
        }
        return new.map {
            "\(maker), and major \($0.major) minor \($0.minor) are those of a new beacon, also of a neighbour's"
        }
    }

    /// The remedy.
    package static let remedy =
        "write a UUID of your own into the beacon with its maker's app (`uuidgen` makes one), or give its major and minor, if "
        + "they are its own"
}
