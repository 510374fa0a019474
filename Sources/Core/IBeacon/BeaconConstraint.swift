import OkaeriPlumbing

/// A set of beacons: all of a UUID, those of one major, or a single one. CoreLocation's `CLBeaconIdentityConstraint`, with a mask.
public struct BeaconConstraint: Hashable, Sendable {
    /// The owner's identifier, with zeros in place of the bits that do not count.
    public let uuid: BeaconUUID

    /// The group, `nil` for any; with zeros in place of the bits that do not count.
    public let major: UInt16?

    /// The beacon in its group, `nil` for any; with zeros in place of the bits that do not count.
    public let minor: UInt16?

    /// The bits that distinguish the beacons. Those of a field that is `nil` distinguish the beacons of this constraint from each
    /// other.
    public let mask: BeaconMask

    private init(_ uuid: BeaconUUID, _ major: UInt16?, _ minor: UInt16?, _ mask: BeaconMask = .all) {
        self.uuid = uuid & mask.uuid
        self.major = major.map { $0 & mask.major }
        self.minor = minor.map { $0 & mask.minor }
        self.mask = mask
    }

    /// Every beacon of the owner.
    public static func uuid(_ uuid: BeaconUUID) -> Self { Self(uuid, nil, nil) }

    /// Every beacon of one group.
    public static func major(_ uuid: BeaconUUID, _ major: UInt16) -> Self { Self(uuid, major, nil) }

    /// One beacon.
    public static func minor(_ uuid: BeaconUUID, _ major: UInt16, _ minor: UInt16) -> Self { Self(uuid, major, minor) }

    /// Creates the constraint of all beacons of an owner, or of one group of them.
    ///
    /// - Parameters:
    ///   - uuid: The owner's identifier.
    ///   - major: The group; `nil` for all groups.
    public init(uuid: BeaconUUID, major: UInt16? = nil) { self.init(uuid, major, nil) }

    /// Creates the constraint of one beacon.
    ///
    /// - Parameters:
    ///   - uuid: The owner's identifier.
    ///   - major: The group.
    ///   - minor: The beacon in its group.
    public init(uuid: BeaconUUID, major: UInt16, minor: UInt16) { self.init(uuid, major, minor) }

    /// Returns the constraint of the same beacons with only these bits: it matches also the beacons that differ in the others.
    public func masked(by mask: BeaconMask) -> Self { Self(uuid, major, minor, mask) }

    /// The identity of its only beacon; `nil` for a constraint that several identities match.
    public var identity: BeaconIdentity? {
        guard mask == .all, let major, let minor else { return nil }
        return BeaconIdentity(uuid: uuid, major: major, minor: minor)
    }

    /// Whether `beacon` is meant.
    public func matches(_ beacon: BeaconIdentity) -> Bool {
        let beacon = beacon & mask
        return beacon.uuid == uuid && (major ?? beacon.major) == beacon.major && (minor ?? beacon.minor) == beacon.minor
    }

    /// Returns the one identity that stands for all identities of a beacon of this constraint; `nil` for another beacon.
    public func normalized(_ beacon: BeaconIdentity) -> BeaconIdentity? { matches(beacon) ? beacon & mask : nil }
}

extension BeaconConstraint {
    // Constraints of the same beacons with another mask are few, and a look-up costs a hash.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(uuid.high)
        hasher.combine(uuid.low)
        hasher.combine(UInt64(major.map { UInt32($0) + 1 } ?? 0) << 32 | UInt64(minor.map { UInt32($0) + 1 } ?? 0))
    }
}

extension BeaconConstraint: LosslessStringConvertible {
    /// `UUID/major/minor`, an asterisk for any. A field with bits that do not count has its mask behind a colon, in hexadecimal:
    /// `UUID/1/512:FF00`.
    public var description: String {
        func field(_ value: UInt16?, _ mask: UInt16) -> String {
            (value.map(String.init) ?? "*") + (mask == .max ? "" : ":\(MaskText.text(mask))")
        }
        let owner = mask.uuid == BeaconMask.all.uuid ? "\(uuid)" : "\(uuid):\(mask.uuid)"
        return "\(owner)/\(field(major, mask.major))/\(field(minor, mask.minor))"
    }
}

extension BeaconConstraint {
    /// Reads `UUID`, `UUID/major` or `UUID/major/minor`; an asterisk stands for any, and a mask follows a colon, as in
    /// ``description``. Major and minor are 0 to 65535, without a sign or zeros in front.
    public init?(_ text: String) {
        let fields = text.split(separator: "/", omittingEmptySubsequences: false).map {
            $0.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        }
        guard fields.count <= 3, let uuid = BeaconUUID(String(fields[0][0])) else { return nil }
        let owner = fields[0].count == 1 ? BeaconMask.all.uuid : BeaconUUID(String(fields[0][1]))
        var numbers: [UInt16?] = [nil, nil]
        var bits: [UInt16] = [.max, .max]
        for (place, field) in fields.dropFirst().enumerated() {
            if field[0] != "*" {
                guard let number = UInt16(decimal: field[0]) else { return nil }
                numbers[place] = number
            }
            guard field.count > 1 else { continue }
            guard let mask = MaskText.bits(field[1]) else { return nil }
            bits[place] = mask
        }
        guard numbers[1] == nil || numbers[0] != nil, let owner,
            let mask = BeaconMask(uuid: owner, major: bits[0], minor: bits[1])
        else { return nil }
        self.init(uuid, numbers[0], numbers[1], mask)
    }
}

/// Finds the regions a beacon belongs to, at a cost that does not grow with their number: at most three look-ups for each mask.
public struct RegionMatcher: Sendable {
    /// The regions whose constraints have the same mask.
    private struct Group: Sendable {
        let mask: BeaconMask
        var regions: [BeaconConstraint: [Int]] = [:]
        var owners: Set<BeaconUUID> = []
        /// The numbers of fields that its constraints name.
        var widths: [Width] = []

        /// Whether it can have regions of a beacon. Another beacon costs this look-up alone.
        func isOwner(of beacon: BeaconIdentity) -> Bool { owners.contains(beacon.uuid & mask.uuid) }

        func regions(of beacon: BeaconIdentity, _ width: Width) -> [Int]? {
            regions[width.constraint(of: beacon).masked(by: mask)]
        }
    }

    /// The number of fields that a constraint names, the narrowest first.
    private enum Width: CaseIterable {
        case minor, major, uuid

        func constraint(of beacon: BeaconIdentity) -> BeaconConstraint {
            switch self {
            case .minor: .minor(beacon.uuid, beacon.major, beacon.minor)
            case .major: .major(beacon.uuid, beacon.major)
            case .uuid: .uuid(beacon.uuid)
            }
        }

        init(of constraint: BeaconConstraint) {
            self = constraint.major == nil ? .uuid : constraint.minor == nil ? .major : .minor
        }

        /// The bits without which a beacon would not match a constraint without a mask.
        var bits: BeaconMask {
            switch self {
            case .minor: .all
            case .major: .group
            case .uuid: .owner
            }
        }
    }

    /// The masks with the most bits first.
    private var groups: [Group] = []

    /// Whether a constraint has a mask. Without one, each beacon stands for itself.
    @usableFromInline private(set) var isMasked = false

    /// - Parameter constraints: one for each region; a match is answered by its position here. `nil` matches no beacon.
    public init(_ constraints: [BeaconConstraint?]) {
        for (index, constraint) in constraints.enumerated() {
            guard let constraint else { continue }
            let known = groups.firstIndex { $0.mask == constraint.mask }
            if known == nil { groups.append(Group(mask: constraint.mask)) }
            let place = known ?? groups.count - 1
            groups[place].regions[constraint, default: []].append(index)
            groups[place].owners.insert(constraint.uuid)
            let width = Width(of: constraint)
            if !groups[place].widths.contains(width) { groups[place].widths.append(width) }
        }
        groups.sort { $0.mask.bitCount > $1.mask.bitCount }
        isMasked = groups.contains { $0.mask != .all }
    }

    /// The positions of the regions that `beacon` belongs to, the narrowest first. Another beacon costs no allocation.
    public func matches(_ beacon: BeaconIdentity) -> [Int] {
        var found: [Int] = []
        guard groups.contains(where: { $0.isOwner(of: beacon) }) else { return found }
        for width in Width.allCases {
            for group in groups where group.widths.contains(width) {
                guard let regions = group.regions(of: beacon, width) else { continue }
                found = found.isEmpty ? regions : found + regions
            }
        }
        return found
    }

    /// Returns whether `beacon` belongs to a region. It costs no allocation.
    public func isMatched(_ beacon: BeaconIdentity) -> Bool {
        groups.contains { group in
            group.isOwner(of: beacon) && group.widths.contains { group.regions(of: beacon, $0) != nil }
        }
    }

    /// Returns the one identity that stands for all identities of a beacon: with zeros in place of the bits that none of its regions
    /// compares. A beacon without a region, or in regions without a mask, stands for itself.
    ///
    /// The result belongs to the same regions as the beacon, and stands for itself. It costs no allocation.
    @inlinable @inline(__always) public func normalized(_ beacon: BeaconIdentity) -> BeaconIdentity {
        isMasked ? maskedByRegions(beacon) : beacon
    }

    @usableFromInline func maskedByRegions(_ beacon: BeaconIdentity) -> BeaconIdentity {
        var bits: BeaconMask?
        var hits = 0
        var hasMask = false
        for group in groups where group.isOwner(of: beacon) {
            for width in Width.allCases where group.regions(of: beacon, width) != nil {
                let own = group.mask == .all ? width.bits : group.mask
                bits = bits.map { $0 | own } ?? own
                hits += 1
                hasMask = hasMask || group.mask != .all
            }
        }
        guard hasMask, let bits else { return beacon }
        let normal = beacon & bits
        // Zeros may be the numbers of another region, which this beacon does not enter.
        return normal == beacon || self.hits(normal) == hits ? normal : beacon
    }

    private func hits(_ beacon: BeaconIdentity) -> Int {
        groups.reduce(0) { count, group in
            guard group.isOwner(of: beacon) else { return count }
            return count + Width.allCases.reduce(0) { $0 + (group.regions(of: beacon, $1) == nil ? 0 : 1) }
        }
    }
}
