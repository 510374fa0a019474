/// Cuts what a hook writes into lines for the log: not too long, and not too many.
struct HookOutput: Sendable {
    /// More than the journal shows of a line without unfolding it.
    static let longestLine = 1000

    /// A hook that writes more is a hook with a log of its own.
    static let mostLines = 100

    private var line: [UInt8] = []
    private var isCut = false
    private(set) var count = 0

    /// The lines that these bytes complete.
    mutating func received(_ bytes: some Sequence<UInt8>) -> [String] {
        var lines: [String] = []
        for byte in bytes {
            guard byte == 0x0A else {
                if line.count < Self.longestLine { line.append(byte) } else { isCut = true }
                continue
            }
            if let text = completed() { lines.append(text) }
        }
        return lines
    }

    /// Nothing more comes: the line without an end, and how many lines were left out.
    mutating func ended() -> [String] {
        let last = line.isEmpty ? nil : completed()
        let left = count - Self.mostLines
        return [last, left > 0 ? "… and \(left) more lines" : nil].compactMap { $0 }
    }

    private mutating func completed() -> String? {
        defer {
            line.removeAll(keepingCapacity: true)
            isCut = false
        }
        count += 1
        guard count <= Self.mostLines else { return nil }
        return String(decoding: line, as: UTF8.self) + (isCut ? "…" : "")
    }
}
