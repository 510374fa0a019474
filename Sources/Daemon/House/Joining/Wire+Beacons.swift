import Events
import IBeacon
import Plumbing

/// The beacons of a region, in the message of its agreed state, for machines that join the house.
extension Wire {
    /// The maximum length of an identifier in the message. The identifier of a region can be longer.
    private static let longestIdentifier = 256

    /// Returns the value of `beacon`; `null` for a name that is too long.
    static func beacons(_ region: BrokerRegion?) -> EventField.Value {
        guard let region, let beacons = region.beacons, region.identifier.utf8.count <= longestIdentifier else {
            return .null
        }
        return .object([
            text("identifier", region.identifier), text("uuid", "\(beacons.uuid)"),
            EventField("major", beacons.major.map { .integer(Int($0)) } ?? .null),
            EventField("minor", beacons.minor.map { .integer(Int($0)) } ?? .null),
        ])
    }

    /// Returns the beacons in the message of a region's agreed state; `nil` if it has none.
    static func beacons(_ payload: [UInt8]) -> HouseDirectory.Region? {
        struct Members: Decodable {
            struct Beacon: Decodable {
                var identifier: String
                var uuid: String
                var major: UInt16?
                var minor: UInt16?
            }
            var beacon: Beacon?
        }
        guard let beacon = decode(Members.self, payload)?.beacon, let identifier = name(beacon.identifier),
            let uuid = BeaconUUID(beacon.uuid), beacon.major != nil || beacon.minor == nil
        else { return nil }
        let beacons: BeaconConstraint =
            switch (beacon.major, beacon.minor) {
            case (let major?, let minor?): .minor(uuid, major, minor)
            case (let major?, nil): .major(uuid, major)
            case (nil, _): .uuid(uuid)
            }
        return .init(identifier: identifier, beacons: beacons)
    }

    /// Returns the room in the description of a node; `nil` if it has none.
    static func room(_ payload: [UInt8]) -> String? {
        struct Members: Decodable { var room: String? }
        return decode(Members.self, payload)?.room.flatMap(name)
    }
}
