import FoundationEssentials

/// A JSON object that keeps the order its members were added in: an event begins with its time, as people read it.
/// FoundationEssentials' encoder writes each value; it alone would shuffle or sort the keys.
struct JSONObject {
    private var members: [String] = []

    /// Adds a member; nothing for nil.
    mutating func add(_ key: String, _ value: (some Encodable)?) {
        guard let value else { return }
        members.append("\(Self.text(key)):\(Self.text(value))")
    }

    mutating func add(_ key: String, _ object: JSONObject) {
        members.append("\(Self.text(key)):\(object.text)")
    }

    mutating func add(_ key: String, _ objects: [JSONObject]) {
        members.append("\(Self.text(key)):[\(objects.map(\.text).joined(separator: ","))]")
    }

    /// The object, on one line.
    var text: String { "{\(members.joined(separator: ","))}" }

    private static func text(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        // Only strings, numbers and booleans come here; a number that JSON has no word for becomes null.
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }
}
