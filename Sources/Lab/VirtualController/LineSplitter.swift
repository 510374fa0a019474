import ControllerEmulation

/// Puts lines together from bytes as they come.
struct LineSplitter {
    private var line: [UInt8] = []

    /// The lines that end in these bytes. Of a line that is too long so much is kept that it is found to be.
    mutating func take(_ bytes: [UInt8]) -> [String] {
        var lines: [String] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                lines.append(String(decoding: line, as: UTF8.self))
                line = []
            } else if line.count <= Script.maximumLineLength {
                line.append(byte)
            }
        }
        return lines
    }

    /// The last line, if the end came before its own.
    mutating func finish() -> String? {
        defer { line = [] }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }
}
