import OkaeriPlumbing

extension Configuration {
    /// The name and the room of this node among several in a house.
    package struct Node: Sendable, Equatable {
        /// Its name in topics and events; nil: the host's.
        package var name: String?
        /// The room it is in; nil: none.
        package var room: String?
        /// The loss of its receiver, in dB.
        package var offset = 0.0
    }

    static let nodeKeys = ["name", "room", "offset"]
    static let namelessKeys = ["room", "offset"]

    /// As far apart as two receivers are that still hear the same.
    private static let offsetRange = -40.0...40.0

    /// The longest name of a room, which appears on dashboards.
    private static let longestRoom = 64

    /// Whether a node may be called so: what a topic and Home Assistant take.
    package static func isNodeName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count) && name.utf8.allSatisfy(isPlain) && !name.hasPrefix("-")
    }

    /// Whether a room may be called so.
    package static func isRoom(_ name: String) -> Bool {
        (1...longestRoom).contains(name.utf8.count) && name.isName
    }

    /// Its description in an error message.
    static let expectedRoom = "the name of a room, of up to \(longestRoom) bytes without control characters"

    /// This machine among several.
    static func node(_ node: JSONNode, _ problems: ObjectReader.Problems) -> Node {
        guard
            let reader = ObjectReader(
                node, path: "node", keys: nodeKeys, main: "name", meant: { $0.text(orElse: "kitchen") },
                problems: problems)
        else {
            return Node()
        }
        let name = reader.string("name", expected: "up to 64 letters of ASCII, digits, - and _", where: isNodeName)
        return place(reader, name: name)
    }

    /// The nodes of a replay, by name.
    static func nodes(_ node: JSONNode, _ problems: ObjectReader.Problems) -> [String: Node] {
        let expectedName = "up to 64 letters of ASCII, digits, - and _"
        return places(node, path: "nodes", expected: "an object", expectedName, problems, isName: isNodeName) ?? [:]
    }

    /// Returns the rooms and offsets in an object, by the names that are its keys; `nil` if it is another value, or has too many.
    static func places(
        _ node: JSONNode, path: String, expected: String, atMost limit: Int = .max, _ expectedName: String,
        _ problems: ObjectReader.Problems, isName: (String) -> Bool
    ) -> [String: Node]? {
        guard case .object(let members) = node.value, members.count <= limit else {
            problems.add(.init(place: path, found: node.summary, expected: expected), line: node.line)
            return nil
        }
        var places: [String: Node] = [:]
        for member in members {
            let path = "\(path)[\"\(member.key)\"]"
            guard isName(member.key) else {
                problems.add(
                    .init(place: path, found: "this name", expected: expectedName), line: member.node.line)
                continue
            }
            guard let reader = ObjectReader(member.node, path: path, keys: namelessKeys, problems: problems) else {
                continue
            }
            places[member.key] = place(reader, name: member.key)
        }
        return places
    }

    static func place(_ reader: ObjectReader, name: String?) -> Node {
        let room = reader.string("room", expected: expectedRoom, where: isRoom)
        return Node(name: name, room: room, offset: reader.number("offset", in: offsetRange, unit: " dB") ?? 0)
    }
}
