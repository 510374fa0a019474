import Plumbing

/// The identity of a beacon: UUID, major and minor. Never its Bluetooth address, which may rotate.
public struct BeaconIdentity: Hashable, Sendable {
    /// The owner's identifier.
    public let uuid: BeaconUUID

    /// The group, such as a house.
    public let major: UInt16

    /// The single beacon in its group.
    public let minor: UInt16

    /// A beacon by its three numbers; each may be anything.
    public init(uuid: BeaconUUID, major: UInt16, minor: UInt16) {
        self.uuid = uuid
        self.major = major
        self.minor = minor
    }

    // One word for both numbers: a report costs one hash, and this is half of it.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(uuid.high)
        hasher.combine(uuid.low)
        hasher.combine(UInt32(major) << 16 | UInt32(minor))
    }
}

extension BeaconIdentity: Comparable {
    public static func < (left: Self, right: Self) -> Bool {
        (left.uuid, left.major, left.minor) < (right.uuid, right.major, right.minor)
    }
}

extension BeaconIdentity: CustomStringConvertible {
    /// `UUID/major/minor`.
    public var description: String { "\(uuid)/\(major)/\(minor)" }
}

/// The 128-bit identifier that an owner gives to all their beacons; an RFC 9562 UUID without Foundation.
public struct BeaconUUID: Hashable, Sendable {
    /// The first eight bytes, most significant first, as they are sent.
    public let high: UInt64

    /// The last eight bytes.
    public let low: UInt64

    /// An identifier from its two halves.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}

extension BeaconUUID: Comparable {
    /// The order of the bytes, which is that of the text.
    public static func < (left: Self, right: Self) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}

extension BeaconUUID: LosslessStringConvertible {
    /// Reads `E2C56DB5-DFFB-48D2-B060-D0F5A71096E0`, or the 32 digits without hyphens, in either case.
    public init?(_ text: String) {
        guard let (high, low) = UUIDText.halves(text) else { return nil }
        self.init(high: high, low: low)
    }

    /// `E2C56DB5-DFFB-48D2-B060-D0F5A71096E0`: upper case, hyphenated, as beacon makers print it.
    public var description: String { UUIDText.text(high: high, low: low, uppercase: true) }
}

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
