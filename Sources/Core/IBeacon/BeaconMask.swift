import OkaeriPlumbing

/// The bits of an identity that distinguish beacons. A bit of 1 counts; one of 0 may change while the beacon stays the same.
///
/// Some beacons send their battery level or a counter in the minor, in the major or in the last byte of the UUID.
public struct BeaconMask: Hashable, Sendable {
    /// The bits of the UUID; at least ``leastOwnerBits`` of them count.
    public let uuid: BeaconUUID

    /// The bits of the major.
    public let major: UInt16

    /// The bits of the minor.
    public let minor: UInt16

    /// The mask of an identity all of whose bits count.
    public static let all = BeaconMask(bits: BeaconUUID(high: .max, low: .max), .max, .max)

    /// The masks of all bits but those of one part.
    package static let withoutMinor = BeaconMask(bits: all.uuid, .max, 0)
    package static let withoutMajor = BeaconMask(bits: all.uuid, 0, .max)
    package static let withoutLastByte = BeaconMask(bits: BeaconUUID(high: .max, low: ~0xFF), .max, .max)

    /// The mask of the beacons of an owner's group, and that of all beacons of an owner.
    static let group = withoutMinor
    static let owner = BeaconMask(bits: all.uuid, 0, 0)

    /// The least number of bits of the UUID that count: with fewer, the beacons of other owners match by chance.
    public static let leastOwnerBits = 64

    /// A mask; the bits of a field that is not given count.
    ///
    /// - Returns: `nil` if fewer than ``leastOwnerBits`` bits of the UUID count.
    public init?(
        uuid: BeaconUUID = BeaconUUID(high: .max, low: .max), major: UInt16 = .max, minor: UInt16 = .max
    ) {
        guard uuid.high.nonzeroBitCount + uuid.low.nonzeroBitCount >= Self.leastOwnerBits else { return nil }
        self.init(bits: uuid, major, minor)
    }

    private init(bits uuid: BeaconUUID, _ major: UInt16, _ minor: UInt16) {
        (self.uuid, self.major, self.minor) = (uuid, major, minor)
    }

    /// The number of bits that count.
    var bitCount: Int {
        uuid.high.nonzeroBitCount + uuid.low.nonzeroBitCount + major.nonzeroBitCount + minor.nonzeroBitCount
    }
}

extension BeaconMask {
    /// The mask in which the bits of either count.
    static func | (left: Self, right: Self) -> Self {
        BeaconMask(
            bits: BeaconUUID(high: left.uuid.high | right.uuid.high, low: left.uuid.low | right.uuid.low),
            left.major | right.major, left.minor | right.minor)
    }
}

extension BeaconUUID {
    /// The identifier with zeros in place of the bits that do not count.
    static func & (left: Self, mask: Self) -> Self {
        BeaconUUID(high: left.high & mask.high, low: left.low & mask.low)
    }
}

extension BeaconIdentity {
    /// The identity with zeros in place of the bits that do not count.
    package static func & (left: Self, mask: BeaconMask) -> Self {
        BeaconIdentity(uuid: left.uuid & mask.uuid, major: left.major & mask.major, minor: left.minor & mask.minor)
    }
}

/// The text of the bits of a major or a minor: four hexadecimal digits such as `FF00`.
package enum MaskText {
    /// Reads four hexadecimal digits in either case; `nil` for any other text.
    package static func bits(_ text: some StringProtocol) -> UInt16? {
        text.utf8.count == 4 ? UInt16(hexadecimal: text) : nil
    }

    /// Returns the four digits, in upper case.
    package static func text(_ bits: UInt16) -> String { hexadecimal(bits, prefix: "") }
}
