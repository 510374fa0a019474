package import IBeacon
import OkaeriPlumbing

/// The bits of a beacon's identity that count, as in beacons.json: only the fields of which not all bits count.
package struct MaskReport: Codable, Sendable, Equatable {
    /// The bits of the UUID, as a UUID.
    package var uuid: String?
    /// The bits of the major: four hexadecimal digits.
    package var major: String?
    /// The bits of the minor: four hexadecimal digits.
    package var minor: String?

    package init(_ mask: BeaconMask) {
        let all = BeaconMask.all
        uuid = mask.uuid == all.uuid ? nil : "\(mask.uuid)"
        major = mask.major == all.major ? nil : MaskText.text(mask.major)
        minor = mask.minor == all.minor ? nil : MaskText.text(mask.minor)
    }

    /// - Returns: `nil` if all bits count.
    package init?(ofConstraint constraint: BeaconConstraint?) {
        guard let constraint, constraint.mask != .all else { return nil }
        self.init(constraint.mask)
    }

    /// The mask; `nil` if a field is malformed.
    package var mask: BeaconMask? {
        let (all, owner) = (BeaconMask.all, uuid.map(BeaconUUID.init))
        let (group, beacon) = (major.map { MaskText.bits($0) }, minor.map { MaskText.bits($0) })
        guard let owner = owner ?? all.uuid, let group = group ?? all.major, let beacon = beacon ?? all.minor else {
            return nil
        }
        return BeaconMask(uuid: owner, major: group, minor: beacon)
    }

    /// The fields of which not all bits count, in words.
    package var words: String {
        members.map { $0.0 == "uuid" ? "UUID" : $0.0 }.joined(separator: " and ")
    }

    /// The keys and values in their order.
    package var members: [(String, String)] {
        [("uuid", uuid), ("major", major), ("minor", minor)].compactMap { key, value in value.map { (key, $0) } }
    }

    /// The members as the fields of a JSON object.
    package var fields: [EventField] { members.map { EventField($0, .text($1)) } }
}
