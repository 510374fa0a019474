public struct Script: Hashable, Sendable {
    public static let maximumLineLength = 8192

    public let source: String

    let lines: [ScriptLine]

    public static func parse(_ text: String, source: String) -> Result<Script, Mistakes> {
        var lines: [ScriptLine] = []
        var mistakes: [ScriptError] = []
        // "\r\n" is a character of its own.
        let all = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        for (index, line) in all.enumerated() {
            do throws(ScriptError) {
                if let line = try ScriptLine(line, source: source, number: index + 1) { lines.append(line) }
            } catch {
                mistakes.append(error)
            }
        }
        return mistakes.isEmpty
            ? .success(Script(source: source, lines: lines)) : .failure(Mistakes(errors: mistakes))
    }

    public struct Mistakes: Error, Hashable, Sendable {
        public let errors: [ScriptError]
    }
}

struct ScriptLine: Hashable, Sendable {
    let source: String
    let number: Int

    /// `at`: how long after the script's begin, in nanoseconds; nil: in its turn.
    let time: Int64?
    let instruction: Instruction

    init?(_ text: some StringProtocol, source: String, number: Int) throws(ScriptError) {
        self.source = source
        self.number = number
        do throws(ScriptMistake) {
            guard text.utf8.count <= Script.maximumLineLength else {
                throw ScriptMistake(
                    found: "a line of \(text.utf8.count) bytes", expected: "at most \(Script.maximumLineLength)")
            }
            guard var arguments = Arguments(text) else { return nil }
            time = arguments.verb == "at" ? try arguments.takeTime() : nil
            instruction = try Instruction(&arguments)
            if time != nil, case .wait = instruction {
                throw ScriptMistake(found: "at … wait", expected: "wait on a line without at")
            }
        } catch {
            throw ScriptError(source: source, line: number, mistake: error)
        }
    }
}
