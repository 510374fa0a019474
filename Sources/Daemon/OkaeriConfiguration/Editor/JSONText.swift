import OkaeriEvents

/// The text of a JSON document, in which values are replaced. What stays keeps its bytes; what is new has the layout of its
/// neighbours.
struct JSONText {
    let bytes: [UInt8]

    /// Returns the text of a value after a change.
    ///
    /// - Parameters:
    ///   - old: The value in the text.
    ///   - new: The value made of it. An object or an array with the place of `old` is that one, changed; members and elements that are
    ///     in both have the same order.
    ///   - outer: The layout of the object around it.
    func replacing(_ old: JSONNode, with new: JSONNode, in outer: Layout = .line) -> [UInt8] {
        guard new.range == old.range else { return new.value.text(.line) }
        let (before, after) = (old.items, new.items)
        guard !before.isEmpty || !after.isEmpty else { return Array(bytes[old.range]) }
        guard !after.isEmpty else { return [bytes[old.range.lowerBound], bytes[old.range.upperBound - 1]] }
        guard !before.isEmpty else {
            return old.isArray ? Indentation(in: outer).array(after.map(\.node.value)) : new.value.text(.line)
        }
        let gaps = gaps(old)
        // An element has the layout of the last one.
        let layout = old.isArray ? before.last.map { self.layout(of: $0.node) } ?? .line : self.layout(of: old)
        var text = [bytes[old.range.lowerBound]]
        var next = 0
        for (position, item) in after.enumerated() {
            let index = before[next...].firstIndex {
                old.isArray ? $0.node.range == item.node.range : $0.key == item.key
            }
            if let index {
                let (start, node) = (before[index].start, before[index].node)
                text += gaps[position == 0 ? 0 : index] + bytes[start..<node.range.lowerBound]
                text += replacing(node, with: item.node, in: layout)
                next = index + 1
            } else {
                let neighbour = next < before.count ? next : next - 1
                text += position == 0 ? gaps[0] : neighbour > 0 ? gaps[neighbour] : [Layout.comma] + gaps[0]
                text +=
                    old.isArray ? item.node.value.text(layout) : layout.member(item.key, item.node.value.text(.line))
            }
        }
        return text + gaps[before.count] + [bytes[old.range.upperBound - 1]]
    }

    /// Returns the text before each item of a value, and the text behind the last one.
    private func gaps(_ node: JSONNode) -> [[UInt8]] {
        let items = node.items
        let starts = items.map(\.start) + [node.range.upperBound - 1]
        let ends = [node.range.lowerBound + 1] + items.map(\.node.range.upperBound)
        return zip(ends, starts).map { Array(bytes[$0..<$1]) }
    }

    /// Returns the layout of an object, and that of a line for other values.
    private func layout(of node: JSONNode) -> Layout {
        guard let first = node.value.members.first, !node.range.isEmpty else { return .line }
        let gaps = gaps(node)
        let separators = gaps[1..<(gaps.count - 1)]
        let key = bytes[..<first.node.range.lowerBound].lastIndex(of: UInt8(ascii: "\"")) ?? 0
        return Layout(
            opening: gaps[0],
            separator: separators.first { $0.contains(UInt8(ascii: "\n")) } ?? separators.first
                ?? [Layout.comma] + gaps[0],
            colon: Array(bytes[(key + 1)..<first.node.range.lowerBound]), closing: gaps[gaps.count - 1])
    }
}

extension JSONNode {
    fileprivate var isArray: Bool { if case .array = value { true } else { false } }

    /// The members of an object, or the elements of an array.
    fileprivate var items: [Member] {
        guard case .array(let elements) = value else { return value.members }
        return elements.map { Member(key: "", start: $0.range.lowerBound, node: $0) }
    }
}

/// The layout of an object: its space, commas and colons.
struct Layout {
    static let comma = UInt8(ascii: ",")

    /// `{ "ssid": "HomeNet", "join": "prompt" }`.
    static let line = Layout(opening: [0x20], separator: [comma, 0x20], colon: Array(": ".utf8), closing: [0x20])

    /// `{"ssid": "HomeNet", "join": "prompt"}`.
    static let dense = Layout(opening: [], separator: line.separator, colon: line.colon, closing: [])

    /// Between the brace and the first key.
    var opening: [UInt8]
    /// Between a value and the next key.
    var separator: [UInt8]
    /// Between a key and its value.
    var colon: [UInt8]
    /// Between the last value and the brace.
    var closing: [UInt8]

    func member(_ key: String, _ value: [UInt8]) -> [UInt8] { Array(JSON.text(key).utf8) + colon + value }

    func object(_ members: [[UInt8]]) -> [UInt8] {
        Array("{".utf8) + opening + Array(members.joined(separator: separator)) + closing + Array("}".utf8)
    }
}

extension JSONNode.Value {
    /// Returns the JSON of the value.
    ///
    /// - Parameter inner: The layout of objects in an object.
    func text(_ layout: Layout, inner: Layout = .line) -> [UInt8] {
        switch self {
        case .null: Array("null".utf8)
        case .bool(let bool): Array("\(bool)".utf8)
        case .number(let number): Array(number.json.utf8)
        case .string(let string): Array(JSON.text(string).utf8)
        case .array(let elements):
            Array("[".utf8) + elements.map { $0.value.text(inner) }.joined(separator: ", ".utf8) + Array("]".utf8)
        case .object(let members):
            members.isEmpty
                ? Array("{}".utf8)
                : layout.object(members.map { layout.member($0.key, $0.node.value.text(inner, inner: inner)) })
        }
    }
}

/// The layout of an array that had no elements: as deep as the layout of the object around it has it.
private struct Indentation {
    /// Before the first element, between two of them, and behind the last one.
    private let opening: [UInt8]
    private let separator: [UInt8]
    private let closing: [UInt8]
    /// The layout of an element.
    private let element: Layout

    init(in outer: Layout) {
        guard let newline = outer.opening.firstIndex(of: UInt8(ascii: "\n")) else {
            (opening, separator, closing) = ([], Layout.line.separator, [])
            element = Layout(
                opening: outer.opening, separator: Layout.line.separator, colon: outer.colon, closing: outer.opening)
            return
        }
        let line = Array(outer.opening[...newline])
        let unit = Array(outer.opening[(newline + 1)...])
        func indented(_ depth: Int) -> [UInt8] { line + (0..<depth).flatMap { _ in unit } }
        (opening, separator, closing) = (indented(2), [Layout.comma] + indented(2), indented(1))
        element = Layout(
            opening: indented(3), separator: [Layout.comma] + indented(3), colon: outer.colon, closing: indented(2))
    }

    func array(_ elements: [JSONNode.Value]) -> [UInt8] {
        let texts = Array(elements.map { $0.text(element) }.joined(separator: separator))
        return Array("[".utf8) + opening + texts + closing + Array("]".utf8)
    }
}
