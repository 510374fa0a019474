import IBeacon
import OkaeriEvents
import OkaeriPlumbing
import RegionMonitoring

/// The beacons that a hub wants to receive: the topic `wanted`. No names, no keys, no hooks.
struct WantedBeacons: Sendable, Equatable {
    /// The number of beacons of a message that are read.
    private static let limit = 4000

    var beacons: [BeaconConstraint]
    /// Whether a region has a phone: then receivers send private addresses.
    var phones: Bool

    init(_ regions: [MonitoredRegion]) {
        let signs = regions.flatMap(\.signs)
        beacons = Set(signs.compactMap(\.constraint)).sorted { $0.description < $1.description }
        phones = signs.contains { $0.phoneFile != nil }
    }

    var payload: String {
        let list = beacons.map { beacon in
            let (all, mask) = (BeaconMask.all, beacon.mask)
            // A receiver of an earlier version ignores the mask: it reports all beacons of the fields in front of it.
            let major = mask.major == all.major ? beacon.major : nil
            let minor = mask.minor == all.minor && major != nil ? beacon.minor : nil
            return [
                Wire.text("uuid", "\(beacon.uuid)"), EventField("major", major.map { .integer(Int($0)) } ?? .null),
                EventField("minor", minor.map { .integer(Int($0)) } ?? .null),
            ] + (mask == all ? [] : [Wire.text("masked", beacon.description)])
        }
        return [EventField("beacons", .list(list)), EventField("phones", .flag(phones))].json
    }

    /// Returns `nil` for a payload that no hub publishes.
    init?(_ payload: [UInt8]) {
        struct Beacon: Decodable {
            var uuid: String
            var major: UInt16?
            var minor: UInt16?
            /// The description of a constraint with a mask, in place of the rest.
            var masked: String?

            var constraint: BeaconConstraint? {
                if let masked { return BeaconConstraint(masked) }
                guard let uuid = BeaconUUID(uuid) else { return nil }
                return switch (major, minor) {
                case (let major?, let minor?): .minor(uuid, major, minor)
                case (let major?, nil): .major(uuid, major)
                case (nil, nil): .uuid(uuid)
                case (nil, _): nil
                }
            }
        }
        struct Members: Decodable {
            var beacons: [Beacon]
            var phones: Bool?
        }
        guard let members = Wire.decode(Members.self, payload) else { return nil }
        beacons = members.beacons.prefix(Self.limit).compactMap(\.constraint)
        phones = members.phones ?? false
    }
}
