import Plumbing

/// A JSON value and where it stands in its text, so that a person can be shown the place of a mistake.
struct JSONNode: Sendable {
    enum Value: Sendable {
        case null
        case bool(Bool)
        case number(Double)
        case string(String)
        case array([JSONNode])
        /// In the order of the text; keys are unique.
        case object([(key: String, node: JSONNode)])
    }

    var value: Value

    /// The line the value starts in, from 1.
    var line: Int

    /// What it is, in a person's words, cut where it is long.
    var summary: String {
        switch value {
        case .null: "null"
        case .bool(let bool): "\(bool)"
        case .number(let number): number.plain
        case .string(let string): "\"\(string.count > 60 ? string.prefix(60) + "…" : string[...])\""
        case .array(let elements): "an array of \(elements.count)"
        case .object: "an object"
        }
    }
}
