import Plumbing

/// A JSON value and where it stands in its text, so that a person can be shown the place of a mistake, and a program can put
/// another in its place.
package struct JSONNode: Sendable {
    package enum Value: Sendable {
        case null
        case bool(Bool)
        case number(Double)
        case string(String)
        case array([JSONNode])
        /// In the order of the text; keys are unique.
        case object([Member])
    }

    /// A key and its value.
    package struct Member: Sendable {
        package var key: String

        /// The position of the key's opening quote, in bytes from the beginning of the text.
        package var start: Int

        package var node: JSONNode
    }

    package var value: Value

    /// The line the value starts in, from 1.
    var line: Int

    /// The bytes of the text that it takes, without the space around it.
    package var range: Range<Int>

    /// The value of a key; `nil` if there is none, or this is no object.
    package subscript(key: String) -> JSONNode? {
        guard case .object(let members) = value else { return nil }
        return members.first { $0.key == key }?.node
    }

    /// The type of the value, for messages that must not show the value.
    var kind: String {
        switch value {
        case .null: "null"
        case .bool: "true or false"
        case .number: "a number"
        case .string: "a string"
        case .array, .object: summary
        }
    }

    /// The value as a short text, cut if it is long.
    package var summary: String {
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

extension JSONNode {
    /// Reads a text.
    ///
    /// - Parameter file: its name, for the messages.
    package init(json bytes: [UInt8], file: String) throws(ConfigurationError) {
        do throws(JSONParser.SyntaxError) {
            self = try JSONParser.parse(bytes)
        } catch {
            let place = "line \(error.line), column \(error.column)"
            throw ConfigurationError(file: file, place: place, found: error.found, expected: error.expected)
        }
    }
}
