import Events

/// The text of a JSON object, edited member by member. What is not edited stays byte for byte; what is new looks like its
/// neighbours.
struct ObjectText {
    private(set) var bytes: [UInt8]
    private(set) var members: [JSONNode.Member]

    /// - Parameter bytes: an object and no space around it.
    /// - Returns: nil for anything else.
    init?(_ bytes: [UInt8]) {
        guard let node = try? JSONNode(json: bytes, file: ""), case .object(let members) = node.value,
            node.range == bytes.indices
        else { return nil }
        (self.bytes, self.members) = (bytes, members)
    }

    func index(of key: String) -> Int? { members.firstIndex { $0.key == key } }

    /// The text of a member's value.
    func text(of key: String) -> [UInt8]? {
        index(of: key).map { Array(bytes[members[$0].node.range]) }
    }

    /// Gives a key this value: in its place where the key is there, else behind the last of `predecessors` that is, else
    /// behind all.
    mutating func set(_ key: String, to value: [UInt8], after predecessors: [String] = []) {
        if let index = index(of: key) { return replace(members[index].node.range, with: value) }
        let layout = layout
        let member = layout.member(key, value)
        guard let last = members.indices.last else { return replace(bytes.indices, with: layout.object([member])) }
        let neighbour = members.indices.last { predecessors.contains(members[$0].key) } ?? last
        let end = members[neighbour].node.range.upperBound
        replace(end..<end, with: separator(after: neighbour) + member)
    }

    mutating func remove(_ key: String) {
        guard let index = index(of: key) else { return }
        if index > 0 {
            replace(members[index - 1].node.range.upperBound..<members[index].node.range.upperBound, with: [])
        } else if members.count > 1 {
            replace(members[0].start..<members[1].start, with: [])
        } else {
            replace(bytes.indices, with: Array("{}".utf8))
        }
    }

    private mutating func replace(_ range: Range<Int>, with text: [UInt8]) {
        var edited = bytes
        edited.replaceSubrange(range, with: text)
        // Texts of values and separators make no other than an object.
        if let object = ObjectText(edited) { self = object }
    }
}

// MARK: Its layout

extension ObjectText {
    /// The layout of the object's members.
    var layout: Layout {
        guard let first = members.first, let last = members.last else { return .line }
        let separators = members.indices.dropLast().map { separator(after: $0) }
        let key = bytes[..<first.node.range.lowerBound].lastIndex(of: UInt8(ascii: "\"")) ?? 0
        let opening = Array(bytes[1..<first.start])
        return Layout(
            opening: opening,
            separator: separators.first { $0.contains(UInt8(ascii: "\n")) } ?? separators.first ?? [Layout.comma]
                + opening,
            colon: Array(bytes[(key + 1)..<first.node.range.lowerBound]),
            closing: Array(bytes[last.node.range.upperBound..<(bytes.count - 1)]))
    }

    /// Returns the separator between a member and the next, or the one that would be there: a comma, and space around
    /// it.
    private func separator(after index: Int) -> [UInt8] {
        let pair = index + 1 < members.count ? index : index - 1
        guard pair >= 0 else { return [Layout.comma] + bytes[1..<members[0].start] }
        return Array(bytes[members[pair].node.range.upperBound..<members[pair + 1].start])
    }
}

/// The layout of an object: its space, commas and colons.
struct Layout {
    static let comma = UInt8(ascii: ",")

    /// `{ "ssid": "HomeNet", "join": "prompt" }`.
    static let line = Layout(opening: [0x20], separator: [comma, 0x20], colon: Array(": ".utf8), closing: [0x20])

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
