import OkaeriEvents
import OkaeriPlumbing

/// A JSON value and its place in a text, for error messages and for changes that keep the rest of the text. A value that a
/// program makes has no place.
package struct JSONNode: Sendable {
    package enum Value: Sendable, Equatable {
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
        package var start = 0

        package var node: JSONNode
    }

    package var value: Value

    /// The line the value starts in, from 1.
    var line = 0

    /// The bytes of the text that it takes, without the space around it; empty without a place.
    package var range = 0..<0

    /// The value of a key; `nil` if there is none, or this is not an object.
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

    /// Returns the value as JSON if it is a short text, otherwise an example.
    func text(orElse example: String) -> String {
        JSON.text(value.string.flatMap { 1...60 ~= $0.utf8.count ? $0 : nil } ?? example)
    }

    /// Returns the value as JSON if it is a number, otherwise an example.
    func number(orElse example: Double) -> String {
        if case .number(let number) = value { number.json } else { example.json }
    }

    /// The value as a short text, cut if it is long.
    package var summary: String {
        switch value {
        case .null: "null"
        case .bool(let bool): "\(bool)"
        case .number(let number): number.json
        case .string(let string): "\"\(Self.quotable(string.count > 60 ? string.prefix(60) + "…" : string[...]))\""
        case .array(let elements): "an array of \(elements.count)"
        case .object: "an object"
        }
    }

    /// Returns a text whose quotation marks cannot be confused with those around it.
    private static func quotable(_ text: some StringProtocol) -> String {
        text.reduce(into: "") { $0 += $1 == "\"" || $1 == "\\" ? "\\\($1)" : "\($1)" }
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

// MARK: Values of a program

extension JSONNode: Equatable {
    /// Returns whether the values are equal, wherever they are.
    package static func == (one: JSONNode, other: JSONNode) -> Bool { one.value == other.value }
}

extension JSONNode.Member: Equatable {
    package static func == (one: Self, other: Self) -> Bool { one.key == other.key && one.node == other.node }
}

extension JSONNode.Value: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral members: (String, JSONNode.Value)...) {
        self = .object(members.map { .init(key: $0, node: JSONNode(value: $1)) })
    }

    /// The members of an object; none of another value.
    package var members: [JSONNode.Member] { if case .object(let members) = self { members } else { [] } }

    /// Returns the value with the members of its objects in an order of keys, with all others behind them as they are.
    func ordered(by order: [String]) -> JSONNode.Value {
        guard case .object(let members) = self else { return self }
        return .object(
            members.ordered(by: order).map {
                .init(key: $0.key, node: JSONNode(value: $0.node.value.ordered(by: order)))
            })
    }

    /// The value of a key; `nil` if there is none, or this is not an object.
    package subscript(key: String) -> JSONNode.Value? {
        get { members.first { $0.key == key }?.node.value }
        set {
            var members = members
            let index = members.firstIndex { $0.key == key }
            switch (newValue, index) {
            case (let value?, let index?): members[index].node = JSONNode(value: value)
            case (let value?, nil): members.append(.init(key: key, node: JSONNode(value: value)))
            case (nil, let index?): members.remove(at: index)
            case (nil, nil): break
            }
            self = .object(members)
        }
    }
}

extension Double {
    /// The number as JSON. JSON cannot represent infinity and NaN: they become null, which every key of a number rejects.
    var json: String { isFinite ? plain : "null" }
}

// MARK: Merge patches

extension JSONNode {
    /// Returns the value after a merge patch (RFC 7396). What the patch does not name keeps its place in the text.
    ///
    /// - Parameter order: The order of keys. A new member comes behind the last of its predecessors that is there; without one, and
    ///   if `order` does not have its key, behind all.
    func merging(_ patch: Value, order: [String]) -> JSONNode {
        guard case .object(let changes) = patch else { return JSONNode(value: patch) }
        var merged = self
        if case .object = value {} else { merged = JSONNode(value: [:]) }
        var members = merged.value.members
        for change in changes.ordered(by: order) {
            let index = members.firstIndex { $0.key == change.key }
            switch (change.node.value, index) {
            case (.null, let index?): members.remove(at: index)
            case (.null, nil): break
            case (let value, let index?): members[index].node = members[index].node.merging(value, order: order)
            case (let value, nil):
                let predecessors = order[..<(order.firstIndex(of: change.key) ?? 0)]
                let last = members.lastIndex { predecessors.contains($0.key) } ?? members.endIndex - 1
                let node = JSONNode(value: .null).merging(value, order: order)
                members.insert(.init(key: change.key, node: node), at: last + 1)
            }
        }
        merged.value = .object(members)
        return merged
    }
}

extension [JSONNode.Member] {
    /// Returns the members in an order of keys, with all others behind them as they are.
    func ordered(by order: [String]) -> [JSONNode.Member] {
        order.compactMap { key in first { $0.key == key } } + filter { !order.contains($0.key) }
    }
}
