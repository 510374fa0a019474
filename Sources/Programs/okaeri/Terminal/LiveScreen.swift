import SystemPackage

/// Redraws a few lines of the terminal in place. The cursor is hidden meanwhile and comes back at the end.
struct LiveScreen: ~Copyable {
    private var drawn = 0

    init() {
        try? Terminal.write("\u{1B}[?25l", to: .output)
    }

    deinit {
        try? Terminal.write("\u{1B}[?25h", to: .output)
    }

    mutating func draw(_ lines: [String]) throws(Errno) {
        let up = drawn > 0 ? "\u{1B}[\(drawn)A" : ""
        let text = lines.map { "\r\u{1B}[K\($0)\n" }.joined()
        try Terminal.write(up + text + "\u{1B}[J", to: .output)
        drawn = lines.count
    }
}
