import ArgumentParser
import Glibc
import Plumbing

/// Questions on the terminal, one after another.
enum TerminalQuestions {
    /// The longest line that is read, in bytes.
    private static let longestLine = 4096

    /// Asks, and returns the answer without space around it. At the end of the input the command ends.
    static func ask(_ question: String) async throws -> String {
        try Terminal.write(question, to: .output)
        return try await line().trimmed
    }

    /// Asks for something that must not be shown, and returns the answer as it was typed.
    static func askSecret(_ question: String) async throws -> String {
        // Before the question, so that nothing of an answer is typed earlier.
        let former = hideAnswer()
        defer { if var former { tcsetattr(STDIN_FILENO, TCSADRAIN, &former) } }
        try Terminal.write(question, to: .output)
        return try await line()
    }

    /// Stops showing what is typed. The keys that end or stop the program would leave the terminal without echo: they are off, and
    /// Ctrl-C ends the line.
    ///
    /// - Returns: The former state; `nil` if standard input is no terminal.
    private static func hideAnswer() -> termios? {
        var former = termios()
        guard tcgetattr(STDIN_FILENO, &former) == 0 else { return nil }
        var hidden = former
        hidden.c_lflag &= ~tcflag_t(ECHO | ISIG)
        // The line's end is still shown.
        hidden.c_lflag |= tcflag_t(ECHONL)
        withUnsafeMutableBytes(of: &hidden.c_cc) { $0[Int(VEOL)] = interrupt }
        return tcsetattr(STDIN_FILENO, TCSADRAIN, &hidden) == 0 ? former : nil
    }

    /// Asks for a yes or a no; Enter is yes.
    static func confirm(_ question: String) async throws -> Bool {
        while true {
            switch try await ask("\(question) [Y/n] ").lowercased() {
            case "", "y", "yes": return true
            case "n", "no": return false
            default: continue
            }
        }
    }

    /// Reads a line on a thread of its own, because that blocks.
    private static func line() async throws -> String {
        let line = try await BlockingThread.run(BlockingThread.StartError.init) {
            () throws(BlockingThread.StartError) in
            Self.readLine()
        }
        guard let line, !line.utf8.contains(interrupt) else {
            Terminal.complain("nothing was written")
            throw ExitCode.failure
        }
        return line
    }

    /// Ctrl-C.
    private static let interrupt: UInt8 = 3

    /// Reads a line, or returns `nil` at the end of the input. Byte by byte, so that nothing of the next line is taken. Not by the C library's stream: see
    /// ``Terminal/forEachLine(_:)``.
    static func readLine() -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            let count = read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return line.isEmpty ? nil : String(decoding: line, as: UTF8.self) }
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            if line.count < longestLine { line.append(byte) }
            if byte == interrupt { return String(decoding: line, as: UTF8.self) }
        }
    }
}

extension String {
    /// The text without space around it.
    fileprivate var trimmed: String {
        String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }
}
