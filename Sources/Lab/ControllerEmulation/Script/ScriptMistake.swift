/// Something in a line that is not as it must be.
struct ScriptMistake: Error, Hashable, Sendable {
    let found: String
    let expected: String
}

public struct ScriptError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file's name, or `control`, or `standard input`.
    public let source: String

    public let line: Int

    let mistake: ScriptMistake

    public var description: String {
        "\(source):\(line): found \(mistake.found), expected \(mistake.expected)"
    }
}
