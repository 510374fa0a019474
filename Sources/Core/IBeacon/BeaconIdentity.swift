import OkaeriPlumbing

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

/// The conversion from and to Foundation's `UUID`, without Foundation.
extension BeaconUUID {
    /// Sixteen bytes in the order of the text, most significant first: the type of `UUID.uuid`.
    public typealias Bytes = (
        UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8
    )

    /// An identifier from its bytes: `BeaconUUID(uuid.uuid)` for a `UUID` of Foundation.
    public init(_ bytes: Bytes) {
        let (b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13, b14, b15) = bytes
        self.init(
            high: UInt64(bigEndianBytes: [b0, b1, b2, b3, b4, b5, b6, b7]),
            low: UInt64(bigEndianBytes: [b8, b9, b10, b11, b12, b13, b14, b15]))
    }

    /// The bytes: `UUID(uuid: beacon.bytes)` is the `UUID` of Foundation.
    public var bytes: Bytes {
        (
            high.byte(0), high.byte(1), high.byte(2), high.byte(3), high.byte(4), high.byte(5), high.byte(6),
            high.byte(7), low.byte(0), low.byte(1), low.byte(2), low.byte(3), low.byte(4), low.byte(5), low.byte(6),
            low.byte(7)
        )
    }
}

extension UInt64 {
    fileprivate init(bigEndianBytes bytes: [8 of UInt8]) {
        self = bytes.indices.reduce(0) { $0 << 8 | UInt64(bytes[$1]) }
    }

    /// The byte at a position, 0 for the most significant.
    fileprivate func byte(_ position: Int) -> UInt8 { UInt8(truncatingIfNeeded: self >> UInt64(8 * (7 - position))) }
}

extension BeaconUUID: Comparable {
    /// The order of the bytes, which is that of the text.
    public static func < (left: Self, right: Self) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}

extension BeaconUUID: LosslessStringConvertible {
    /// Reads `5F1C2A8E-93B4-4D07-A6E1-7C0D52B98F34`, or the 32 digits without hyphens, in either case.
    public init?(_ text: String) {
        guard let (high, low) = UUIDText.halves(text) else { return nil }
        self.init(high: high, low: low)
    }

    /// `5F1C2A8E-93B4-4D07-A6E1-7C0D52B98F34`: upper case, hyphenated, as beacon makers print it.
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

    /// Creates a region of all beacons of an owner, or of one group of them.
    ///
    /// - Parameters:
    ///   - uuid: The owner's identifier.
    ///   - major: The group; `nil` for all groups.
    ///   - identifier: The name of the region; the caller ensures that it is unique.
    public init(uuid: BeaconUUID, major: UInt16? = nil, identifier: String) {
        self.init(identifier: identifier, constraint: BeaconConstraint(uuid: uuid, major: major))
    }

    /// Creates a region of one beacon.
    ///
    /// - Parameters:
    ///   - uuid: The owner's identifier.
    ///   - major: The group.
    ///   - minor: The beacon in its group.
    ///   - identifier: The name of the region; the caller ensures that it is unique.
    public init(uuid: BeaconUUID, major: UInt16, minor: UInt16, identifier: String) {
        self.init(identifier: identifier, constraint: BeaconConstraint(uuid: uuid, major: major, minor: minor))
    }
}
