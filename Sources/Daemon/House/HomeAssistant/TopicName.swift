import Plumbing

/// A region's identifier as one level of a topic, and as a part of Home Assistant's identifiers.
package struct TopicName: Hashable, Sendable {
    /// As a level of a topic: the identifier, where it is made of 1 to 64 letters of ASCII, digits, hyphens and underscores,
    /// or a hash of it. Home Assistant takes no other in a topic of its discovery.
    package let level: String

    /// The part of Home Assistant's identifiers, which are joined by underscores: it has no underscore, so that no two
    /// are equal.
    package let part: String

    /// Words which the contract puts where a region's name may stand.
    private static let taken: Set = ["node", "nodes"]

    package init(_ identifier: String) {
        let isPlain = Self.isLevel(identifier)
        let hash = StableHash.text(of: identifier)
        level = isPlain ? identifier : "x\(hash)"
        let isAlone = !level.contains("_") && !Self.taken.contains(level)
        part = isAlone ? level : "\(level.replacing("_", with: "-"))-\(StableHash.text(of: level).prefix(6))"
    }

    /// Whether a node's or a region's name may stand in a topic as it is.
    package static func isLevel(_ name: some StringProtocol) -> Bool {
        1...64 ~= name.utf8.count && name.utf8.allSatisfy(isPlain)
    }

    private static func isPlain(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

/// A hash that is the same on every node, today and after an upgrade; Swift's own is not.
enum StableHash {
    /// The upper 48 bits as hexadecimal digits.
    static func text(of string: String) -> String {
        let digits = String(string.utf8.fnv1a >> 16, radix: 16)
        return String(repeating: "0", count: 12 - digits.count) + digits
    }
}
