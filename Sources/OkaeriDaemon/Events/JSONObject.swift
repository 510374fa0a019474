import FoundationEssentials

/// A JSON object that keeps the order its members were added in: an event begins with its time, as people read it.
/// FoundationEssentials' encoder writes each value; it alone would shuffle or sort the keys.
struct JSONObject {
    private var members: [String] = []

    /// Adds a member; nothing for nil.
    mutating func add(_ key: String, _ value: String?) {
        guard let value else { return }
        members.append("\(Self.text(key)):\(Self.text(value))")
    }

    /// Adds a member; nothing for nil.
    mutating func add(_ key: String, _ value: (some Encodable)?) {
        guard let value else { return }
        members.append("\(Self.text(key)):\(Self.encoded(value))")
    }

    mutating func add(_ key: String, _ object: JSONObject) {
        members.append("\(Self.text(key)):\(object.text)")
    }

    mutating func add(_ key: String, _ objects: [JSONObject]) {
        members.append("\(Self.text(key)):[\(objects.map(\.text).joined(separator: ","))]")
    }

    /// The object, on one line.
    var text: String { "{\(members.joined(separator: ","))}" }

    /// Nearly all strings need no escape. The encoder knows the others, and takes its time for it.
    private static func text(_ string: String) -> String {
        let isPlain = string.utf8.allSatisfy { (0x20..<0x7F).contains($0) && $0 != 0x22 && $0 != 0x5C }
        return isPlain ? "\"\(string)\"" : encoded(string)
    }

    private static func encoded(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        // Only strings, numbers and booleans come here; a number that JSON has no word for becomes null.
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }
}
