import Agreement
import Events

/// The description of a node, retained.
struct NodeCard: Hashable, Sendable {
    var room: String?
    var version: String
    /// The start of the node's daemon by its own wall clock, RFC 3339. For people.
    var since: String
    /// Whether the node publishes for Home Assistant.
    var announces: Bool
    /// The levels of the regions that the node watches, in order.
    var regions: [String]
    /// The levels of the regions of this node that have another beacon on the described node.
    var conflicts: [String] = []

    /// The maximum number of regions of a node.
    private static let regionLimit = 4000

    init(room: String?, version: String, since: String, announces: Bool, regions: [String]) {
        (self.room, self.version, self.since) = (room, version, since)
        (self.announces, self.regions) = (announces, regions)
    }

    /// Returns the card of this node as JSON.
    func payload(_ list: RegionList) -> String {
        [
            Wire.text("room", room), Wire.text("version", version), Wire.text("since", since),
            EventField("discovery", .flag(announces)),
        ].json.dropLast() + "," + String(decoding: list.end, as: UTF8.self)
    }

    /// Returns `nil` for a payload that no node publishes.
    ///
    /// - Parameter list: the regions of this node. They are stored once if the described node has the same.
    init?(_ payload: [UInt8], like list: RegionList) {
        struct Members: Decodable {
            var room: String?
            var version: String?
            var since: String?
            var discovery: Bool?
            var regions: [String]
            var beacons: [String]?
        }
        let isSame = list.ends(payload)
        let shortened = isSame ? payload.dropLast(list.end.count) + Array("\"regions\":[]}".utf8) : payload
        guard let members = Wire.decode(Members.self, shortened) else { return nil }
        room = members.room.flatMap(Wire.name)
        version = members.version.flatMap(Wire.name) ?? ""
        since = members.since.flatMap(Wire.name) ?? ""
        announces = members.discovery ?? true
        regions = isSame ? list.regions : members.regions.prefix(Self.regionLimit).filter { TopicName.isLevel($0) }
        conflicts = zip(members.regions, members.beacons ?? []).compactMap { level, beacon in
            list.fingerprints[level].flatMap { $0 == beacon ? nil : level }
        }
    }

    /// The regions of this node, and the end of its card that contains them. In most houses all nodes watch the same: without
    /// this, each of hundreds would parse and store the same hundreds of names hundreds of times.
    struct RegionList: Sendable {
        let fingerprints: [String: String]
        /// In order.
        let regions: [String]
        let end: [UInt8]

        /// - Parameter fingerprints: those of the beacons, by level.
        init(_ fingerprints: [String: String]) {
            self.fingerprints = fingerprints
            regions = fingerprints.keys.sorted()
            let beacons = regions.compactMap { fingerprints[$0] }
            end = Array(
                [
                    EventField("regions", .values(regions.map { .text($0) })),
                    EventField("beacons", .values(beacons.map { .text($0) })),
                ].json.utf8.dropFirst())
        }

        func ends(_ payload: [UInt8]) -> Bool {
            payload.count > end.count && payload[(payload.count - end.count)...] == end[...]
        }
    }
}

/// The descriptions of nodes, by name.
///
/// Any client of the broker can publish under any node's name, and the broker delivers its retained messages at each start. So the
/// number of nodes is bounded, and the size of all descriptions together.
struct NodeCards: Sendable {
    /// The maximum size of all payloads together. A list of regions that equals this node's own does not count, because it
    /// is stored once: with one configuration for all, as in most houses, every node has a place.
    private static let byteLimit = 1 << 20

    private(set) var all: [String: NodeCard] = [:]
    private var sizes: [String: Int] = [:]
    private var size = 0
    /// Whether there was no room for a description.
    private(set) var lacksSome = false

    subscript(name: String) -> NodeCard? { all[name] }

    /// Stores the description of a node. Without room for it nothing changes, and the payload is not parsed.
    ///
    /// - Returns: the card; `nil` for a payload that is not stored.
    mutating func receive(_ payload: [UInt8], from name: String, like list: NodeCard.RegionList) -> NodeCard? {
        let others = size - (sizes[name] ?? 0)
        let own = list.ends(payload) ? payload.count - list.end.count : payload.count
        guard all[name] != nil || all.count < HouseReplica.nodeLimit, own <= Self.byteLimit - others else {
            lacksSome = true
            return nil
        }
        guard let card = NodeCard(payload, like: list) else { return nil }
        (all[name], sizes[name], size) = (card, own, others + own)
        return card
    }

    /// Stores this node's own card.
    mutating func set(_ card: NodeCard, of name: String) {
        remove(name)
        all[name] = card
    }

    mutating func remove(_ name: String) {
        all[name] = nil
        size -= sizes.removeValue(forKey: name) ?? 0
    }
}
