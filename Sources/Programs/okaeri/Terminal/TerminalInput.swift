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
