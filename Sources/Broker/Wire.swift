import Agreement
import Events
import FoundationEssentials
import HomeAssistant
import Plumbing

/// What nodes say to each other and to Home Assistant, as JSON. Every key is always there, `null` where there is nothing to
/// say: a template that misses one complains with each message. What comes in is read with suspicion: a broker is open to
/// others, too.
enum Wire {
    static let online = "online"
    static let offline = "offline"

    static func sight(_ sight: Sight) -> String {
        [
            EventField("state", .text(sight.state.rawValue)), number("rssi", sight.signal),
            number("spread", sight.spread), number("age", sight.age), text("incarnation", sight.incarnation),
            EventField("seq", .integer(Int(clamping: sight.sequence))),
        ].json
    }

    /// A node's sight; nil for what is none.
    static func sight(_ payload: [UInt8]) -> Sight? {
        struct Members: Decodable {
            var state: String
            var rssi: Double?
            var spread: Double?
            var age: Double?
            var incarnation: String
            var seq: UInt64
        }
        guard let members = decode(Members.self, payload), let state = SightState(rawValue: members.state),
            members.incarnation.utf8.count <= 64
        else { return nil }
        return Sight(
            state: state, signal: members.rssi.map { min(max($0, -127), 20) },
            spread: members.spread.map { min(max($0, 0), 40) }, age: members.age.map { min(max($0, 0), 1e6) },
            incarnation: members.incarnation, sequence: members.seq)
    }

    static func region(_ state: HouseState) -> String {
        [
            EventField("state", .text(state.state.rawValue)), text("room", state.room),
            EventField("since", .text(Timestamp.text(state.since))), EventField("beacon", .null),
            text("last", state.lastKnown?.rawValue), EventField("waiting", .values(state.waiting.map { .text($0) })),
            text("by", state.stamp.map { String($0.writer, radix: 16) }),
            EventField("seq", state.stamp.map { .integer(Int(clamping: $0.sequence)) } ?? .null),
            EventField("restored", .flag(state.isRestored)),
        ].json
    }

    /// What the house agrees on; nil for what is no word of an owner.
    static func region(_ payload: [UInt8]) -> HouseState? {
        struct Members: Decodable {
            var state: String
            var room: String?
            var since: String
            var last: String?
            var waiting: [String]?
            var by: String?
            var seq: UInt64?
            var restored: Bool?
        }
        guard let members = decode(Members.self, payload), let state = SightState(rawValue: members.state),
            let since = Timestamp.nanoseconds(members.since)
        else { return nil }
        let writer = members.by.flatMap { UInt64($0, radix: 16) }
        return HouseState(
            state: state, lastKnown: members.last.flatMap(SightState.init), room: members.room.flatMap(name),
            since: since, waiting: (members.waiting ?? []).prefix(House.nodeLimit).filter { TopicName.isLevel($0) },
            stamp: writer.flatMap { writer in
                members.seq.flatMap { $0 <= highestSequence ? .init(sequence: $0, writer: writer) : nil }
            }, isRestored: members.restored ?? false)
    }

    /// What every reader of JSON takes for a whole number: a word beyond it would be the last that counts.
    private static let highestSequence: UInt64 = 1 << 53

    static func event(_ event: HouseEvent) -> String {
        [
            EventField("event_type", .text(event.kind.rawValue)), text("room", event.room),
            EventField("time", .text(Timestamp.text(event.time))),
            EventField("id", .text(String(event.identifier, radix: 16))),
        ].json
    }

    static func event(_ payload: [UInt8]) -> HouseEvent? {
        struct Members: Decodable {
            var event_type: String
            var room: String?
            var time: String
            var id: String
        }
        guard let members = decode(Members.self, payload), let kind = HouseEvent.Kind(rawValue: members.event_type),
            let time = Timestamp.nanoseconds(members.time), let identifier = UInt64(members.id, radix: 16)
        else { return nil }
        return HouseEvent(kind: kind, room: members.room.flatMap(name), time: time, identifier: identifier)
    }

    static func house(online: Int, leader: String) -> String {
        [EventField("online", .integer(online)), text("leader", leader)].json
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

    /// The longest that is looked at: what a node with two thousand regions says of itself.
    private static let largestPayload = 64 << 10
}
