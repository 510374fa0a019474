/// Something in a line that is not as it must be.
struct ScriptMistake: Error, Hashable, Sendable {
    let found: String
    let expected: String

    init(found: String, expected: String) {
        self.found = found
        self.expected = expected
    }
}

public struct ScriptError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file's name, or `control`, or `standard input`.
    public let source: String

    public let line: Int

    /// The text of the script.
    public let found: String

    /// The expected text.
    public let expected: String

    init(_ mistake: ScriptMistake, source: String, line: Int) {
        self.source = source
        self.line = line
        found = mistake.found
        expected = mistake.expected
    }

    public var description: String {
        "\(source):\(line): found \(found), expected \(expected)"
    }
}
