/// The words and settings of a line, taken one after the other.
struct Arguments {
    /// The first word.
    private(set) var verb: String

    /// The words after it which are not settings, and which were not taken yet.
    private var words: [String]

    private var settings: [(key: String, value: String)]

    /// All known names, for the message about a line's mistake.
    private var expectedSettings: [String] = []

    /// Everything after the verb, as it was written.
    private var rest: Substring

    /// Splits a line; nil when there is nothing on it but a comment.
    init?(_ line: some StringProtocol) {
        let text = Self.withoutComment(line)
        self.init(text: text[...])
    }

    private init?(text: Substring) {
        let parts = text.split(whereSeparator: Self.isBlank)
        guard let first = parts.first else { return nil }
        verb = String(first)
        rest = text[first.endIndex...]
        words = parts.dropFirst().filter { !$0.contains("=") }.map(String.init)
        settings = parts.dropFirst().compactMap { part in
            part.firstIndex(of: "=").map { (String(part[..<$0]), String(part[part.index(after: $0)...])) }
        }
    }

    /// `at TIME`: what follows is a line of its own.
    mutating func takeTime() throws(ScriptMistake) -> Int64 {
        let parts = rest.split(maxSplits: 1, omittingEmptySubsequences: true, whereSeparator: Self.isBlank)
        guard let first = parts.first else { throw ScriptMistake(found: "at alone", expected: "a time after it") }
        let time = try Value.time(String(first))
        guard parts.count == 2, let following = Arguments(text: parts[1]) else {
            throw ScriptMistake(found: "at \(first) alone", expected: "an instruction after it")
        }
        guard following.verb != "at" else {
            throw ScriptMistake(found: "at twice", expected: "an instruction after the time")
        }
        self = following
        return time
    }

    /// Everything after the verb, without the blanks around it.
    mutating func takeText() -> String {
        words = []
        settings = []
        let text = rest.drop(while: Self.isBlank)
        guard let end = text.lastIndex(where: { !Self.isBlank($0) }) else { return "" }
        return String(text[...end])
    }

    mutating func word(_ expected: String) throws(ScriptMistake) -> String {
        guard let word = optionalWord() else {
            throw ScriptMistake(found: "\(verb) without \(expected)", expected: expected)
        }
        return word
    }

    mutating func word<Result>(
        _ expected: String, _ read: Value.Reader<Result>
    ) throws(ScriptMistake) -> Result {
        try read(try word(expected))
    }

    mutating func optionalWord() -> String? {
        words.isEmpty ? nil : words.removeFirst()
    }

    mutating func optionalWord<Result>(_ read: Value.Reader<Result>) throws(ScriptMistake) -> Result? {
        guard let word = optionalWord() else { return nil }
        return try read(word)
    }

    mutating func allWords<Result>(
        _ expected: String, _ read: Value.Reader<Result>
    ) throws(ScriptMistake) -> [Result] {
        var all = [try word(expected, read)]
        while let next = try optionalWord(read) { all.append(next) }
        return all
    }

    mutating func setting<Result>(
        _ key: String, _ read: Value.Reader<Result>
    ) throws(ScriptMistake) -> Result? {
        expectedSettings.append(key)
        guard let index = settings.firstIndex(where: { $0.key == key }) else { return nil }
        let value = settings.remove(at: index).value
        if settings.contains(where: { $0.key == key }) {
            throw ScriptMistake(found: "\(key) twice", expected: "each setting once")
        }
        do throws(ScriptMistake) {
            return try read(value)
        } catch {
            throw ScriptMistake(found: "\(key)=\(error.found)", expected: error.expected)
        }
    }

    /// A setting that must be there.
    mutating func required<Result>(
        _ key: String, _ read: Value.Reader<Result>
    ) throws(ScriptMistake) -> Result {
        guard let value = try setting(key, read) else {
            throw ScriptMistake(found: "\(verb) without \(key)", expected: "\(key)=…")
        }
        return value
    }

    /// Nothing may be left.
    func finish() throws(ScriptMistake) {
        if let setting = settings.first {
            let expected = expectedSettings.isEmpty ? "no settings" : "only \(expectedSettings.joined(separator: ", "))"
            throw ScriptMistake(found: "\(setting.key)= for \(verb)", expected: expected)
        }
        if let word = words.first {
            throw ScriptMistake(found: "'\(word)' at the end of \(verb)", expected: "nothing more")
        }
    }

    /// A comment begins with `#` at the start of the line or after a blank.
    private static func withoutComment(_ line: some StringProtocol) -> String {
        var previous: Character = " "
        var text = ""
        for character in line {
            if character == "#", isBlank(previous) { break }
            text.append(character)
            previous = character
        }
        return text
    }

    private static func isBlank(_ character: Character) -> Bool {
        // A line of a file written on Windows ends with a carriage return.
        character == " " || character == "\t" || character == "\r"
    }
}
