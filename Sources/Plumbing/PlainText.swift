extension String {
    /// The text on one line, without what would move a terminal's cursor or begin a line in a log: a stranger may have
    /// chosen it.
    ///
    /// - Parameters:
    ///   - replacement: what stands in the place of each control character (Unicode's Cc) and line or paragraph separator
    ///     (Zl, Zp).
    ///   - replacesFormat: whether it also stands for what turns text around or hides (Cf). Some of it belongs to proper
    ///     text too: it joins emoji and the letters of some scripts.
    package func plain(replacement: Unicode.Scalar = " ", replacesFormat: Bool = false) -> String {
        func isPlain(_ scalar: Unicode.Scalar) -> Bool {
            if (" "..."~").contains(scalar) { return true }
            return switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: false
            case .format: !replacesFormat
            default: true
            }
        }
        if unicodeScalars.allSatisfy(isPlain) { return self }
        return String(UnicodeScalarView(unicodeScalars.map { isPlain($0) ? $0 : replacement }))
    }
}
