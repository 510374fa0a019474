import Plumbing

/// A question, and above it the lines that change while the user thinks. What was typed stays where it is: the cursor
/// goes up and comes back, and the terminal edits the line as always.
struct LiveQuestion {
    private static let mostLines = 12

    private let height: Int
    /// From the line that is typed in to the first above.
    private let distance: Int

    init(_ question: String) {
        height = min(Self.mostLines, max(2, Terminal.rows - 3))
        distance = height + max(0, question.count) / Terminal.columns
        try? Terminal.write(String(repeating: "\n", count: height) + question, to: .output)
    }

    /// Lines beyond the first are left out; missing ones are empty.
    func draw(_ lines: [String]) {
        let columns = Terminal.columns
        let all = lines.prefix(height) + Array(repeating: "", count: max(0, height - lines.count))
        let text = all.map { "\u{1B}[K\($0.plain().prefix(columns - 1))\n" }.joined()
        try? Terminal.write("\u{1B}7\r\u{1B}[\(distance)A\(text)\u{1B}8", to: .output)
    }
}
