import Events
import HomeAssistant

/// What a node says of itself, retained.
package struct NodeCard: Hashable, Sendable {
    /// Where it stands; nil: nobody has said.
    package var room: String?
    package var version: String
    /// Since when its daemon runs, on its own wall: RFC 3339. For people.
    package var since: String
    /// Whether it publishes for Home Assistant.
    package var announces: Bool
    /// The levels of the regions it watches, in order.
    package var regions: [String]

    /// More are not believed.
    private static let mostRegions = 4000

    /// The card as JSON.
    package var payload: String {
        [
            Wire.text("room", room), Wire.text("version", version), Wire.text("since", since),
            EventField("discovery", .flag(announces)), EventField("regions", .values(regions.map { .text($0) })),
        ].json
    }

    package init(room: String?, version: String, since: String, announces: Bool, regions: [String]) {
        self.room = room
        self.version = version
        self.since = since
        self.announces = announces
        self.regions = regions
    }

    /// Nil for what no node of ours says.
    ///
    /// - Parameter list: is taken where the card has the same one.
    init?(_ payload: [UInt8], like list: RegionList) {
        struct Members: Decodable {
            var room: String?
            var version: String?
            var since: String?
            var discovery: Bool?
            var regions: [String]
        }
        let isSame = list.ends(payload)
        let shortened = isSame ? payload.dropLast(list.end.count) + Array("\"regions\":[]}".utf8) : payload
        guard let members = Wire.decode(Members.self, shortened) else { return nil }
        room = members.room.flatMap(Wire.name)
        version = members.version.flatMap(Wire.name) ?? ""
        since = members.since.flatMap(Wire.name) ?? ""
        announces = members.discovery ?? true
        regions = isSame ? list.regions : members.regions.prefix(Self.mostRegions).filter { TopicName.isLevel($0) }
    }

    /// The regions of a card, and the end of its payload that they make. In most houses all nodes watch the same: with hundreds
    /// of both, each would otherwise read and keep the same hundreds of names hundreds of times.
    struct RegionList: Sendable {
        /// In order.
        let regions: [String]
        let end: [UInt8]

        init(_ levels: some Sequence<String>) {
            regions = levels.sorted()
            end = Array([EventField("regions", .values(regions.map { .text($0) }))].json.utf8.dropFirst())
        }

        func ends(_ payload: [UInt8]) -> Bool {
            payload.count > end.count && payload[(payload.count - end.count)...] == end[...]
        }
    }
}
