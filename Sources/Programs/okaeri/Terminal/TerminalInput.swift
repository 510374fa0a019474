import Glibc

extension Terminal {
    /// More of a line is not read.
    private static let longestLine = 4096

    /// The lines of standard input, until it ends. Blocks: for a thread of its own.
    ///
    /// Not by the C library's stream, as `readLine` does: that is locked while a thread waits for input, and with glibc
    /// 2.41 (Debian 13) the end of the program waits for the lock, which is until the user types.
    static func forEachLine(_ body: (String) -> Void) {
        var line: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 1024)
        while true {
            let count = read(STDIN_FILENO, &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            for byte in bytes[..<count] {
                if byte == UInt8(ascii: "\n") {
                    body(String(decoding: line, as: UTF8.self))
                    line = []
                } else if line.count < longestLine {
                    line.append(byte)
                }
            }
        }
        if !line.isEmpty { body(String(decoding: line, as: UTF8.self)) }
    }
}

extension Terminal {
    /// Discards what was typed until now: it is no answer to the next question.
    static func discardInput() { tcflush(STDIN_FILENO, TCIFLUSH) }

    /// Stops showing what is typed, until ``showInput(_:)``. Suspending the program (Ctrl-Z) is off as well, because it would
    /// leave a shell without echo.
    ///
    /// - Returns: The former state; `nil` if standard input is no terminal.
    static func hideInput() -> termios? {
        var former = termios()
        guard tcgetattr(STDIN_FILENO, &former) == 0 else { return nil }
        var hidden = former
        hidden.c_lflag &= ~tcflag_t(ECHO)
        // The line's end is still shown.
        hidden.c_lflag |= tcflag_t(ECHONL)
        withUnsafeMutableBytes(of: &hidden.c_cc) { $0[Int(VSUSP)] = 0 }
        return tcsetattr(STDIN_FILENO, TCSADRAIN, &hidden) == 0 ? former : nil
    }

    static func showInput(_ former: termios) {
        var former = former
        tcsetattr(STDIN_FILENO, TCSADRAIN, &former)
    }
}
