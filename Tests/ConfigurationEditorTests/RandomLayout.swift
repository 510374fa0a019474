import OkaeriTestSupport

/// JSON texts with random space and a random order of members.
struct RandomLayout {
    var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func space() -> String {
        ["", "", " ", "  ", "\n", "\r\n", "\t", "\n\t ", " \n\n"].randomElement(using: &random) ?? ""
    }

    mutating func object(_ members: [(key: String, value: String)]) -> String {
        list("{", "}", members.shuffled(using: &random).map { "\"\($0)\"\(space()):\(space())\($1)" })
    }

    mutating func array(_ elements: [String]) -> String { list("[", "]", elements) }

    private mutating func list(_ opening: String, _ closing: String, _ elements: [String]) -> String {
        let spaced = elements.map { "\(space())\($0)\(space())" }.joined(separator: ",")
        return "\(opening)\(elements.isEmpty ? space() : spaced)\(closing)"
    }
}
