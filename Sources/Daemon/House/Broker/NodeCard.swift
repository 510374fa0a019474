import Events

/// The description of a node, retained.
struct NodeCard: Hashable, Sendable {
    var kind: NodeKind
    var room: String?
    /// The correction that is added to the node's signals, in dB.
    var offset = 0.0
    var version: String
    /// The start of the node's daemon by its own wall clock, RFC 3339. For people.
    var since: String

    /// The largest correction that is believed, in dB.
    private static let largestOffset = 40.0

    init(kind: NodeKind, room: String?, offset: Double = 0, version: String, since: String) {
        (self.kind, self.room, self.offset) = (kind, room, offset)
        (self.version, self.since) = (version, since)
    }

    /// The card as JSON.
    var payload: String {
        [
            Wire.text("kind", kind.rawValue), Wire.text("room", room), EventField("offset", .number(offset)),
            Wire.text("version", version), Wire.text("since", since),
        ].json
    }

    /// Returns `nil` for a payload that no node publishes.
    init?(_ payload: [UInt8]) {
        struct Members: Decodable {
            var kind: String?
            var room: String?
            var offset: Double?
            var version: String?
            var since: String?
        }
        guard payload.count <= Self.largest, let members = Wire.decode(Members.self, payload) else { return nil }
        // An earlier version names no kind.
        kind = members.kind.flatMap(NodeKind.init) ?? .receiver
        room = members.room.flatMap(Wire.name)
        let offset = members.offset ?? 0
        self.offset = offset.isFinite ? min(max(offset, -Self.largestOffset), Self.largestOffset) : 0
        version = members.version.flatMap(Wire.name) ?? ""
        since = members.since.flatMap(Wire.name) ?? ""
    }

    /// The size from which on a description is not read. Those of earlier versions have a list of regions.
    private static let largest = 1 << 18
}
