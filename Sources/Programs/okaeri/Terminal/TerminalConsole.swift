import OkaeriEvents
import OkaeriPlumbing
import OkaeriSetup

/// The terminal as a console.
struct TerminalConsole: Console {
    /// Whether sentences are left out, because a report is printed in place of them.
    var isQuiet = false
    let language = Terminal.language
    private let waiting = WaitingLine()

    init(isQuiet: Bool = false) { self.isQuiet = isQuiet }

    func say(_ sentence: String) {
        if !isQuiet, !sentence.isEmpty { try? Terminal.print(sentence) }
    }

    func ask(_ question: String) async throws -> String {
        try show(question)
        return try await answer().trimmed
    }

    func askSecret(_ question: String) async throws -> String {
        // Before the question, so that nothing of an answer is typed earlier.
        let hidden = await HiddenInput()
        defer { hidden?.show() }
        try show(question)
        let interrupts = hidden?.interrupts ?? []
        let answer = try await answer(endingAt: interrupts)
        guard !answer.utf8.contains(where: interrupts.contains) else { throw ConsoleEnded() }
        return answer
    }

    /// Reads all of standard input, which is not a terminal.
    ///
    /// - Parameter limit: The maximum number of bytes; more are not read.
    func pipedSecret(limit: Int) async throws -> String {
        var lines: [String] = []
        var count = 0
        while count <= limit, let line = try await TerminalInput.line() {
            lines.append(line)
            count += line.utf8.count + 1
        }
        guard !lines.isEmpty else { throw ConsoleEnded() }
        return lines.joined(separator: "\n")
    }

    func choose<Lists: AsyncSequence & Sendable>(_ question: String, among lists: Lists) async throws -> String
    where Lists.Element == CandidateList, Lists.Failure == Never {
        try checkEnd()
        let live = LiveQuestion(question)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for await list in lists where !Task.isCancelled {
                    live.draw((list.trouble.map { [$0] } ?? []) + (list.candidates.map { BeaconTable.lines($0) } ?? []))
                }
            }
            defer { group.cancelAll() }
            return try await answer().trimmed
        }
    }

    func during<Value: Sendable>(
        _ step: String?, _ operation: @escaping @Sendable () async -> Value
    ) async throws -> Value {
        let (values, end) = AsyncStream.makeStream(of: Value.self)
        if let step { await waiting.begin(step) }
        let work = Task {
            end.yield(await operation())
            end.finish()
        }
        let ignoring = Task {
            while try await TerminalInput.line() != nil {}
            end.finish()
        }
        let value = await values.first { _ in true }
        work.cancel()
        ignoring.cancel()
        // It must not take the answer to the next question.
        _ = await ignoring.result
        await waiting.end()
        guard let value else { throw ConsoleEnded() }
        return value
    }

    func progress(left: Duration, readings: Int) { CalibrateCommand.show(left: left, readings: readings) }

    private func show(_ question: String) throws {
        try checkEnd()
        try? Terminal.write(question, to: .output)
    }

    private func checkEnd() throws {
        if Task.isCancelled { throw ConsoleEnded() }
    }

    private func answer(endingAt ends: [UInt8] = []) async throws -> String {
        guard let line = try await TerminalInput.line(endingAt: ends) else { throw ConsoleEnded() }
        return line
    }
}

/// A question, and above it the lines that change while the user thinks. What was typed stays where it is: the cursor
/// goes up and comes back, and the terminal edits the line as always.
private struct LiveQuestion {
    private static let mostLines = 12

    private let height: Int
    /// From the line that is typed in to the first above.
    private let distance: Int

    init(_ question: String) {
        height = min(Self.mostLines, max(2, Terminal.rows - 3))
        distance = height + question.displayWidth / Terminal.columns
        try? Terminal.write(String(repeating: "\n", count: height) + question, to: .output)
    }

    /// Lines beyond the first are left out; missing ones are empty.
    func draw(_ lines: [String]) {
        let columns = Terminal.columns
        let all = lines.prefix(height) + Array(repeating: "", count: max(0, height - lines.count))
        let text = all.map { "\u{1B}[K\($0.plain().cut(to: columns - 1))\n" }.joined()
        try? Terminal.write("\u{1B}7\r\u{1B}[\(distance)A\(text)\u{1B}8", to: .output)
    }
}
