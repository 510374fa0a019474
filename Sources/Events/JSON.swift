import FoundationEssentials

/// Values as JSON text (RFC 8259).
package enum JSON {
    /// Nearly all strings need no escape. The encoder knows the others, and takes its time for it.
    package static func text(_ string: String) -> String {
        let isPlain = string.utf8.allSatisfy { (0x20..<0x7F).contains($0) && $0 != 0x22 && $0 != 0x5C }
        return isPlain ? "\"\(string)\"" : encoded(string)
    }

    /// Of strings, numbers and booleans; a number that JSON has no word for becomes null.
    package static func encoded(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }

    /// An object for a person: indented, its members sorted.
    package static func document(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}

/// A JSON object on one line that keeps the order in which its members were added.
package struct JSONObject {
    private var members: [String] = []

    package init() {}

    /// Adds a member; nothing for nil.
    package mutating func add(_ key: String, _ value: String?) {
        guard let value else { return }
        members.append("\(JSON.text(key)):\(JSON.text(value))")
    }

    /// Adds a member; nothing for nil.
    package mutating func add(_ key: String, _ value: (some Encodable)?) {
        guard let value else { return }
        members.append("\(JSON.text(key)):\(JSON.encoded(value))")
    }

    package mutating func add(_ key: String, _ object: JSONObject) {
        members.append("\(JSON.text(key)):\(object.text)")
    }

    package mutating func add(_ key: String, _ objects: [JSONObject]) {
        members.append("\(JSON.text(key)):[\(objects.map(\.text).joined(separator: ","))]")
    }

    package var text: String { "{\(members.joined(separator: ","))}" }
}
