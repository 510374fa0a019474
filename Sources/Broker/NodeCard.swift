import Events
import HomeAssistant

/// What a node says of itself, retained.
package struct NodeCard: Hashable, Sendable {
    /// Where it stands; nil: nobody has said.
    package var room: String?
    package var version: String
    /// Since when its daemon runs, on its own wall: RFC 3339. For people.
    package var since: String
    /// The levels of the regions it watches.
    package var regions: [String]

    /// More are not believed.
    private static let mostRegions = 4000

    var payload: String {
        [
            Wire.text("room", room), Wire.text("version", version), Wire.text("since", since),
            EventField("regions", .values(regions.map { .text($0) })),
        ].json
    }

    package init(room: String?, version: String, since: String, regions: [String]) {
        self.room = room
        self.version = version
        self.since = since
        self.regions = regions
    }

    /// Nil for what no node of ours says.
    init?(_ payload: [UInt8]) {
        struct Members: Decodable {
            var room: String?
            var version: String?
            var since: String?
            var regions: [String]
        }
        guard let members = Wire.decode(Members.self, payload) else { return nil }
        room = members.room.flatMap(Wire.name)
        version = members.version.flatMap(Wire.name) ?? ""
        since = members.since.flatMap(Wire.name) ?? ""
        regions = members.regions.prefix(Self.mostRegions).filter(TopicName.isLevel)
    }
}
