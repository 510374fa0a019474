import OkaeriPlumbing

/// A set of beacons: all of a UUID, those of one major, or a single one. CoreLocation's `CLBeaconIdentityConstraint`.
public enum BeaconConstraint: Hashable, Sendable {
    /// Every beacon of the owner.
    case uuid(BeaconUUID)

    /// Every beacon of one group.
    case major(BeaconUUID, UInt16)

    /// One beacon.
    case minor(BeaconUUID, UInt16, UInt16)

    /// Creates the constraint of all beacons of an owner, or of one group of them.
    ///
    /// - Parameters:
    ///   - uuid: The owner's identifier.
    ///   - major: The group; `nil` for all groups.
    public init(uuid: BeaconUUID, major: UInt16? = nil) {
        self = major.map { .major(uuid, $0) } ?? .uuid(uuid)
    }

    /// Creates the constraint of one beacon.
    ///
    /// - Parameters:
    ///   - uuid: The owner's identifier.
    ///   - major: The group.
    ///   - minor: The beacon in its group.
    public init(uuid: BeaconUUID, major: UInt16, minor: UInt16) {
        self = .minor(uuid, major, minor)
    }

    /// The owner's identifier, which every constraint names.
    public var uuid: BeaconUUID {
        switch self {
        case .uuid(let uuid), .major(let uuid, _), .minor(let uuid, _, _): uuid
        }
    }

    /// The group, nil for any.
    public var major: UInt16? {
        switch self {
        case .uuid: nil
        case .major(_, let major), .minor(_, let major, _): major
        }
    }

    /// The beacon in its group, nil for any.
    public var minor: UInt16? {
        switch self {
        case .uuid, .major: nil
        case .minor(_, _, let minor): minor
        }
    }

    /// Whether `beacon` is meant.
    public func matches(_ beacon: BeaconIdentity) -> Bool {
        beacon.uuid == uuid && (major ?? beacon.major) == beacon.major && (minor ?? beacon.minor) == beacon.minor
    }
}

extension BeaconConstraint: LosslessStringConvertible {
    /// `UUID/major/minor`, an asterisk for any.
    public var description: String {
        "\(uuid)/\(major.map(String.init) ?? "*")/\(minor.map(String.init) ?? "*")"
    }
}

extension BeaconConstraint {
    /// Reads `UUID`, `UUID/major` or `UUID/major/minor`; an asterisk stands for any, as in ``description``. Major and minor
    /// are 0 to 65535, without a sign or zeros in front.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count <= 3, let uuid = BeaconUUID(parts[0]) else { return nil }
        var numbers = parts.dropFirst()
        while numbers.last == "*" { numbers.removeLast() }
        let values = numbers.compactMap { UInt16(decimal: $0) }
        guard values.count == numbers.count else { return nil }
        switch values.count {
        case 0: self = .uuid(uuid)
        case 1: self = .major(uuid, values[0])
        default: self = .minor(uuid, values[0], values[1])
        }
    }
}

/// Finds the regions a beacon belongs to, at a cost that does not grow with their number: at most three look-ups.
public struct RegionMatcher: Sendable {
    private var regions: [BeaconConstraint: [Int]] = [:]
    private var owners: Set<BeaconUUID> = []

    /// - Parameter constraints: one for each region; a match is answered by its position here. `nil` matches no beacon.
    public init(_ constraints: [BeaconConstraint?]) {
        for (index, constraint) in constraints.enumerated() {
            guard let constraint else { continue }
            regions[constraint, default: []].append(index)
            owners.insert(constraint.uuid)
        }
    }

    /// The positions of the regions that `beacon` belongs to, the narrowest first. Another beacon costs no allocation.
    public func matches(_ beacon: BeaconIdentity) -> [Int] {
        guard owners.contains(beacon.uuid) else { return [] }
        var found = regions[.minor(beacon.uuid, beacon.major, beacon.minor)] ?? []
        found += regions[.major(beacon.uuid, beacon.major)] ?? []
        found += regions[.uuid(beacon.uuid)] ?? []
        return found
    }
}
