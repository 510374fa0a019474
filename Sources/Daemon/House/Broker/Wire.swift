import Agreement
import RegionMonitoring
import Events
import FoundationEssentials
import MQTT
import Plumbing

/// The JSON payloads. Every key is always present, `null` without a value: a template of Home Assistant logs an error for
/// each message without a key that it uses. Payloads from the broker are validated: other clients can publish them, too.
enum Wire {
    static let online = "online"
    static let offline = "offline"

    static func observation(_ observation: Observation) -> String {
        [
            EventField("state", .text(observation.state.rawValue)), number("rssi", observation.signal),
            number("spread", observation.spread), number("age", observation.age),
            text("incarnation", observation.incarnation),
            EventField("seq", .integer(Int(clamping: observation.sequence))),
        ].json
    }

    /// Returns a node's observation, or `nil` for another payload.
    static func observation(_ payload: [UInt8]) -> Observation? {
        struct Members: Decodable {
            var state: String
            var rssi: Double?
            var spread: Double?
            var age: Double?
            var incarnation: String
            var seq: UInt64
        }
        guard let members = decode(Members.self, payload), let state = RegionState(rawValue: members.state),
            members.incarnation.utf8.count <= longestIncarnation, members.seq <= HouseState.Stamp.limit
        else { return nil }
        return Observation(
            state: state, signal: members.rssi.map { min(max($0, -127), 20) },
            spread: members.spread.map { min(max($0, 0), 40) }, age: members.age.map { min(max($0, 0), 1e6) },
            incarnation: members.incarnation, sequence: members.seq)
    }

    /// The maximum length of an incarnation, in bytes.
    fileprivate static let longestIncarnation = 64

    /// The maximum number of nodes whose marks a region's state contains, so that it fits a payload with all their names.
    private static let markLimit = 200

    /// - Parameter described: the region, whose beacons the message contains.
    static func region(_ state: HouseState, of described: BrokerRegion? = nil) -> String {
        let isMarked = state.hearing.count <= markLimit
        return [
            EventField("state", .text(state.state.rawValue)), text("room", state.room),
            text("since", state.since.map(Timestamp.text)), EventField("beacon", beacons(described)),
            text("last", state.lastKnown?.rawValue),
            EventField("hearing", .list(state.hearing.map { fields($0, isMarked: isMarked) })),
            EventField("change", .integer(Int(clamping: state.change))), EventField("news", .flag(state.isNews)),
            text("by", String(state.stamp.writer, radix: 16)),
            EventField("seq", .integer(Int(clamping: state.stamp.sequence))),
            EventField("restored", .flag(state.isRestored)),
        ].json
    }

    private static func fields(_ hearing: HouseState.Hearing, isMarked: Bool) -> [EventField] {
        let mark = isMarked ? hearing.mark : nil
        return [
            text("node", hearing.node), text("incarnation", mark?.incarnation),
            EventField("seq", mark.map { .integer(Int(clamping: $0.sequence)) } ?? .null),
            EventField("absent", .flag(hearing.isAbsent)),
        ]
    }

    /// Returns a region's state, or `nil` for a payload that no owner publishes.
    static func region(_ payload: [UInt8]) -> HouseState? {
        struct Hearing: Decodable {
            var node: String
            var incarnation: String?
            var seq: UInt64?
            var absent: Bool?

            var value: HouseState.Hearing? {
                guard TopicName.isLevel(node), incarnation?.utf8.count ?? 0 <= Wire.longestIncarnation else {
                    return nil
                }
                let mark = incarnation.flatMap { incarnation in
                    seq.map { HouseState.Mark(incarnation: incarnation, sequence: $0) }
                }
                return HouseState.Hearing(node: node, mark: mark, isAbsent: absent ?? false)
            }
        }
        struct Members: Decodable {
            var state: String
            var room: String?
            var since: String?
            var last: String?
            var hearing: [Hearing]?
            var change: UInt64?
            var news: Bool?
            var by: String
            var seq: UInt64
            var restored: Bool?
        }
        guard let members = decode(Members.self, payload), let state = RegionState(rawValue: members.state),
            let writer = UInt64(members.by, radix: 16), members.seq <= HouseState.Stamp.limit,
            members.change ?? 0 <= HouseState.Stamp.limit
        else { return nil }
        return HouseState(
            state: state, lastKnown: members.last.flatMap(RegionState.init),
            room: members.room.flatMap(name), since: members.since.flatMap(Timestamp.nanoseconds),
            hearing: (members.hearing ?? []).prefix(HouseReplica.nodeLimit).compactMap(\.value),
            change: members.change ?? 0, isNews: members.news ?? false,
            stamp: .init(sequence: members.seq, writer: writer), isRestored: members.restored ?? false)
    }

    static func event(_ event: HouseEvent) -> String {
        [
            EventField("event_type", .text(event.kind.rawValue)), text("room", event.room),
            text("time", event.time.map(Timestamp.text)),
            EventField("id", .text(String(event.identifier, radix: 16))),
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
            let identifier = UInt64(members.id, radix: 16)
        else { return nil }
        return HouseEvent(
            kind: kind, room: members.room.flatMap(name), time: members.time.flatMap(Timestamp.nanoseconds),
            identifier: identifier)
    }

    /// - Parameter rooms: the numbers of regions that are inside, by the names' ``TopicName/part``.
    static func house(online: Int, leader: String, _ occupancy: Occupancy, rooms: [String: Int]) -> String {
        let rooms = rooms.sorted { $0.key < $1.key }.map { EventField($0, .integer($1)) }
        return [
            EventField("online", .integer(online)), text("leader", leader),
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
        1...64 ~= text.count && text.utf8.count <= 256 && text.isPlainName ? text : nil
    }

    static func decode<Members: Decodable>(_ type: Members.Type, _ payload: [UInt8]) -> Members? {
        guard payload.count <= largestPayload else { return nil }
        return try? JSONDecoder().decode(type, from: Data(payload))
    }

    /// The maximum size of a payload that is parsed, as the client delivers it: room for a node's card with its regions, and for
    /// a state that waits for ``HouseReplica/nodeLimit`` nodes with the longest names.
    static let largestPayload = MQTTSettings.Limits().payload
}
