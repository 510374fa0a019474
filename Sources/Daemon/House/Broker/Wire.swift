import FoundationEssentials
import IBeacon
import OkaeriEvents
import OkaeriMQTT
import OkaeriPlumbing
import RegionMonitoring

/// The JSON payloads. Every key is always present, `null` without a value: a template of Home Assistant logs an error for
/// each message without a key that it uses. Payloads from the broker are validated: other clients can publish them, too.
enum Wire {
    static let online = "online"
    static let offline = "offline"

    /// - Parameter beacons: The region's beacons; `nil` for several signs.
    static func region(_ value: RegionValue, _ beacons: BeaconConstraint?) -> String {
        let beacon = beacons.map { beacons -> EventField.Value in
            .object([
                text("uuid", "\(beacons.uuid)"), EventField("major", beacons.major.map { .integer(Int($0)) } ?? .null),
                EventField("minor", beacons.minor.map { .integer(Int($0)) } ?? .null),
            ])
        }
        return [
            EventField("state", .text(value.state.rawValue)), text("room", value.room),
            text("since", value.since.map(Timestamp.text)), EventField("beacon", beacon ?? .null),
            text("last", value.lastKnown?.rawValue), text("name", value.identifier),
            EventField("number", .integer(Int(clamping: value.number))), text("node", value.author),
        ].json
    }

    /// The longest identifier of a region that is read, in bytes.
    private static let longestIdentifier = 256

    /// Returns a region's state, or `nil` for a payload that no hub publishes.
    static func region(_ payload: [UInt8]) -> RegionValue? {
        struct Members: Decodable {
            var state: String
            var room: String?
            var since: String?
            var last: String?
            var name: String
            var number: UInt64?
            var node: String?
        }
        guard let members = decode(Members.self, payload), let state = RegionState(rawValue: members.state),
            members.name.utf8.count <= longestIdentifier, members.name.isName
        else { return nil }
        return RegionValue(
            identifier: members.name, state: state, lastKnown: members.last.flatMap(RegionState.init),
            room: members.room.flatMap(name), since: members.since.flatMap(Timestamp.nanoseconds),
            number: members.number ?? 0, author: members.node.flatMap { TopicName.isName($0) ? $0 : nil })
    }

    static func event(_ event: HouseEvent) -> String {
        [
            EventField("event_type", .text(event.kind.rawValue)), text("room", event.room),
            text("time", event.time.map(Timestamp.text)),
            EventField("id", .text("\(event.number)")),
        ].json
    }

    static func event(_ payload: [UInt8]) -> HouseEvent? {
        struct Members: Decodable {
            var event_type: String
            var room: String?
            var time: String?
            var id: String
        }
        guard let members = decode(Members.self, payload), let kind = HouseEvent.Kind(rawValue: members.event_type),
            let number = UInt64(members.id)
        else { return nil }
        return HouseEvent(
            kind: kind, room: members.room.flatMap(name), time: members.time.flatMap(Timestamp.nanoseconds),
            number: number)
    }

    /// - Parameter rooms: the numbers of regions that are inside, by the names' ``TopicName/part``.
    static func house(online: Int, hub: String, _ occupancy: Occupancy, rooms: [String: Int]) -> String {
        let rooms = rooms.sorted { $0.key < $1.key }.map { EventField($0, .integer($1)) }
        return [
            EventField("online", .integer(online)), text("hub", hub),
            EventField("presence", .text(occupancy.state.rawValue)), EventField("inside", .integer(occupancy.inside)),
            EventField("rooms", .object(rooms)),
        ].json
    }

    static func text(_ name: String, _ value: String?) -> EventField {
        EventField(name, value.map(EventField.Value.text) ?? .null)
    }

    static func number(_ name: String, _ value: Double?) -> EventField {
        EventField(name, value.map(EventField.Value.number) ?? .null)
    }

    /// Returns the name of a room or a node, or `nil` if it is not safe to show: any client of the broker can choose it.
    static func name(_ text: String) -> String? {
        1...64 ~= text.count && text.utf8.count <= 256 && text.isName ? text : nil
    }

    static func decode<Members: Decodable>(_ type: Members.Type, _ payload: [UInt8]) -> Members? {
        guard payload.count <= largestPayload else { return nil }
        return try? JSONDecoder().decode(type, from: Data(payload))
    }

    /// The maximum size of a payload that is parsed, as the client delivers it.
    static let largestPayload = MQTTSettings.Limits().payload
}
