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
