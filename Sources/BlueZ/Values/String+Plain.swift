extension String {
    /// Without what would move a terminal's cursor, or begin a line in a log: a stranger may have chosen it.
    package var plain: String {
        String(unicodeScalars.map { $0.properties.generalCategory == .control ? " " : Character($0) })
    }
}
