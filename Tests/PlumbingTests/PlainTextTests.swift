import OkaeriPlumbing
import Testing

@Suite struct PlainTextTests {
    @Test(arguments: ["", "Lamp", "Küche 2,4 GHz", "お帰り", "👩‍👩‍👧 home", "~ !"])
    func `what can be shown stays`(_ text: String) {
        #expect(text.plain() == text)
    }

    @Test(arguments: ["\n", "\r", "\t", "\0", "\u{1B}", "\u{7F}", "\u{85}", "\u{9B}", "\u{2028}", "\u{2029}"])
    func `nothing moves the cursor or begins a line`(_ control: String) {
        #expect("a\(control)b".plain() == "a b")
        #expect("a\(control)b".plain(replacement: "\u{FFFD}") == "a\u{FFFD}b")
    }

    @Test func `two scalars of one character are two`() {
        #expect("a\r\nb".plain() == "a  b")
    }

    @Test(arguments: ["\u{202E}", "\u{2066}", "\u{200B}", "\u{AD}"])
    func `format stays unless it is to go`(_ format: String) {
        #expect("a\(format)b".plain() == "a\(format)b")
        #expect("a\(format)b\n".plain(replacement: "?", replacesFormat: true) == "a?b?")
    }

    @Test(arguments: ["\u{3164}", "\u{115F}", "\u{1160}", "\u{FFA0}", "\u{2065}", "\u{FFF0}"])
    func `letters that show nothing are replaced with the format, and a selector of a form stays`(_ blank: String) {
        #expect("a\(blank)b".plain() == "a\(blank)b")
        #expect("a\(blank)b".plain(replacement: "?", replacesFormat: true) == "a?b")
        #expect("\(blank)x".escapedName.hasPrefix("\\u{") && !blank.hasVisibleCharacter)
        // The variants of emoji and of ideographs, which names in Japanese have.
        for name in ["❤\u{FE0F}", "葛\u{E0100}城"] {
            #expect(name.plain(replacesFormat: true) == name && name.isName && name.escapedName == name)
        }
    }

    @Test func `every scalar is either kept or replaced`() {
        // The planes where something is assigned, but for those of rare ideographs.
        for value in [UInt32(0)...0xFFFF, 0x1D000...0x1DFFF, 0xE0000...0xE0FFF].joined() {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let plain = String(scalar).plain(replacement: "?", replacesFormat: true)
            guard plain != String(scalar) else { continue }
            #expect(plain == "?")
            let category = scalar.properties.generalCategory
            #expect(
                [.control, .format, .lineSeparator, .paragraphSeparator].contains(category)
                    || scalar.properties.isDefaultIgnorableCodePoint)
        }
    }

    @Test(arguments: [
        ("/etc/okaeri/anna.irk", "/etc/okaeri/anna.irk"), ("", "''"), ("a b", "'a b'"), ("x;reboot", "'x;reboot'"),
        ("$(reboot)", "'$(reboot)'"), ("it's", #"'it'\''s'"#), ("\u{0D4E}'", "'\u{0D4E}'\\'''"),
    ])
    func `a shell takes a quoted text as one word`(text: String, quoted: String) {
        #expect(Array(text.shellQuoted.unicodeScalars) == Array(quoted.unicodeScalars))
    }

    @Test(arguments: ["keys", "お帰り", "Anna's room", "👨‍👩‍👧", "a-b", "۱", "क्‍ष", "!"])
    func `a text that can be read is a name`(text: String) { #expect(text.isName) }

    @Test(arguments: [
        "", " ", "\u{A0}", "\u{200D}", "\u{200C}\u{200D}", "--yes", "-n", "-", " a", "a ", "\u{3000}a", "\u{301}",
        "\u{FE0F}", "\u{3164}", "\u{115F}\u{1160}", "\u{FFA0}", "Anna\u{3164}", "a\u{2065}b", "a\u{E0100}\u{FFF0}",
        "\u{2800}", "a\u{202E}b", "a\nb", "\u{E000}",
    ])
    func `a text that shows nothing, hides its end, or is like an option is not a name`(text: String) {
        #expect(!text.isName)
    }
}
