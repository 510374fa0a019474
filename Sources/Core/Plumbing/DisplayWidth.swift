extension String {
    /// The number of columns of a terminal that the text takes: two for a character of East Asia and for an emoji, none for a
    /// combining mark. The C library knows this only in a locale with UTF-8, which a service has not.
    package var displayWidth: Int {
        // Most names are ASCII.
        utf8.allSatisfy { (0x20..<0x7F).contains($0) } ? utf8.count : reduce(0) { $0 + $1.displayWidth }
    }

    /// The text and as many spaces as it takes to fill `width` columns.
    package func padding(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - displayWidth))
    }

    /// As much of the text as `width` columns show.
    package func cut(to width: Int) -> String {
        var (end, column) = (startIndex, 0)
        while end < endIndex, case let next = column + self[end].displayWidth, next <= width {
            column = next
            formIndex(after: &end)
        }
        return String(self[..<end])
    }
}

extension Character {
    fileprivate var displayWidth: Int {
        // A sequence of emoji is drawn as one (UTS #51): joined, with a tone of the skin, or by a selector of the presentation.
        if let first = unicodeScalars.first, first.properties.isEmoji, first.value > 0x7F, unicodeScalars.count > 1 {
            return unicodeScalars.contains("\u{FE0E}") ? 1 : 2
        }
        return unicodeScalars.reduce(0) { $0 + $1.displayWidth }
    }
}

extension Unicode.Scalar {
    /// The code points beside emoji whose East_Asian_Width is wide or fullwidth (UAX #11, Unicode 16), with the unassigned ones
    /// between them, in order.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2630...0x2637, 0x268A...0x268F, 0x2E80...0x303E, 0x3041...0x3247,
        0x3250...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19,
        0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1D300...0x1D376,
        0x1F200...0x1F202, 0x1F210...0x1F23B, 0x1F240...0x1F248, 0x1F250...0x1F251, 0x1F260...0x1F265,
        0x20000...0x3FFFD,
    ]

    fileprivate var displayWidth: Int {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .control, .lineSeparator, .paragraphSeparator: return 0
        // The soft hyphen is shown.
        case .format: return value == 0xAD ? 1 : 0
        default: break
        }
        // The vowels and the finals of Hangul join the initial before them.
        if (0x1160...0x11FF).contains(value) || (0xD7B0...0xD7FF).contains(value) { return 0 }
        let isFlag = (0x1F1E6...0x1F1FF).contains(value)
        return properties.isEmojiPresentation && !isFlag || Self.wide.contains { $0.contains(value) } ? 2 : 1
    }
}
