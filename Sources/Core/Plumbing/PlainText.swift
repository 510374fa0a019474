extension String {
    /// The text on one line, without what moves a terminal's cursor or begins a line of a log: it may be foreign.
    ///
    /// - Parameters:
    ///   - replacement: The replacement of each control character and line or paragraph separator (Cc, Zl, Zp).
    ///   - replacesFormat: whether it also stands for what turns text around or hides (Cf), and for letters that show nothing. Some
    ///     of it belongs to proper text too: it joins emoji and the letters of some scripts.
    package func plain(replacement: Unicode.Scalar = " ", replacesFormat: Bool = false) -> String {
        func isPlain(_ scalar: Unicode.Scalar) -> Bool {
            if (" "..."~").contains(scalar) { return true }
            return switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: false
            case .format: !replacesFormat
            default: !replacesFormat || !scalar.isBlankLetter
            }
        }
        if unicodeScalars.allSatisfy(isPlain) { return self }
        return String(UnicodeScalarView(unicodeScalars.map { isPlain($0) ? $0 : replacement }))
    }

    /// The text for HTML and XML, in an element or in a quoted attribute. Scalars are compared, because a `Character` such as
    /// "\u{0D4E}<" is not equal to "<".
    package var escapedForMarkup: String {
        unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case "'": text += "&apos;"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }

    /// The text as one word of a command that a message recommends: in single quotes, unless a shell takes each character literally.
    package var shellQuoted: String {
        let isLiteral = unicodeScalars.allSatisfy { scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "+"...":", "@", "_": true
            default: false
            }
        }
        if isLiteral, !isEmpty { return self }
        return "'" + unicodeScalars.reduce(into: "") { $1 == "'" ? $0 += #"'\''"# : $0.unicodeScalars.append($1) } + "'"
    }

    /// A Boolean value that indicates whether the text can be shown as a name in a terminal, a log or a page.
    package var isPlainName: Bool { unicodeScalars.allSatisfy(\.isPlainInName) }

    /// A Boolean value that indicates whether a reader sees anything of the text.
    package var hasVisibleCharacter: Bool { unicodeScalars.contains(where: \.isVisible) }

    /// A Boolean value that indicates whether the text is a name of a person, a place or a region: it can be shown, has a visible
    /// character and no space at its ends, and no command takes it for an option.
    package var isName: Bool {
        // Most are of ASCII, whose properties need no table.
        if utf8.allSatisfy({ 0x20...0x7E ~= $0 }) {
            guard let first = utf8.first, let last = utf8.last else { return false }
            return first != UInt8(ascii: "-") && first != 0x20 && last != 0x20
        }
        guard isPlainName, let first = unicodeScalars.first, let last = unicodeScalars.last else { return false }
        return first != "-" && !first.properties.isWhitespace && !last.properties.isWhitespace
            && hasVisibleCharacter
    }

    /// The text with a Swift escape such as `\u{1B}` in the place of each scalar that ``isPlainName`` rejects.
    package var escapedName: String {
        if isPlainName { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            if scalar.isPlainInName {
                text.unicodeScalars.append(scalar)
            } else {
                text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            }
        }
    }
}

extension Unicode.Scalar {
    /// Whether it shows nothing although it is a letter: the fillers of Hangul and other code points that are ignored by default
    /// (Unicode Standard, 5.21), but the marks, which select the form of the character before them.
    fileprivate var isBlankLetter: Bool {
        guard properties.isDefaultIgnorableCodePoint else { return false }
        return switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: false
        default: true
        }
    }

    fileprivate var isVisible: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator, .format, .nonspacingMark, .enclosingMark,
            .unassigned,
            .surrogate, .privateUse:
            false
        // A Braille pattern without dots.
        default: !isBlankLetter && value != 0x2800
        }
    }

    /// Of the format characters (Cf), which hide or turn text, the two joiners pass: emoji and some scripts need them.
    fileprivate var isPlainInName: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        case .format: value == 0x200C || value == 0x200D
        default: !isBlankLetter
        }
    }
}
