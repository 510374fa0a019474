import OkaeriPlumbing

/// Reads a JSON text (RFC 8259), strictly. FoundationEssentials' decoder reports neither the position of an error nor a
/// key that occurs twice, and accepts a stray comma: too little help for a person editing the file by hand.
struct JSONParser {
    /// An error in the text, with its position.
    struct SyntaxError: Error, Equatable {
        var line: Int
        var column: Int
        var found: String
        var expected: String
    }

    /// No configuration nests deeper; a hostile one must not exhaust the stack.
    static let maximumDepth = 32

    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var lineStart = 0

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    static func parse(_ bytes: [UInt8]) throws(SyntaxError) -> JSONNode {
        var parser = JSONParser(bytes)
        let node = try parser.value(depth: 0)
        parser.skipSpace()
        guard parser.position == bytes.count else { throw parser.unexpected("the end of the file") }
        return node
    }

    private mutating func value(depth: Int) throws(SyntaxError) -> JSONNode {
        skipSpace()
        guard depth <= Self.maximumDepth else { throw unexpected("at most \(Self.maximumDepth) levels") }
        let (line, start) = (line, position)
        let value: JSONNode.Value
        switch peek {
        case UInt8(ascii: "{"): value = try object(depth: depth)
        case UInt8(ascii: "["): value = try array(depth: depth)
        case UInt8(ascii: "\""): value = .string(try string())
        case UInt8(ascii: "t"): value = try word("true", .bool(true))
        case UInt8(ascii: "f"): value = try word("false", .bool(false))
        case UInt8(ascii: "n"): value = try word("null", .null)
        case .some(let byte) where byte == UInt8(ascii: "-") || isDigit(byte): value = .number(try number())
        default: throw unexpected("a value")
        }
        return JSONNode(value: value, line: line, range: start..<position)
    }

    private mutating func object(depth: Int) throws(SyntaxError) -> JSONNode.Value {
        position += 1
        var members: [JSONNode.Member] = []
        var keys: Set<String> = []
        skipSpace()
        if take("}") { return .object([]) }
        while true {
            skipSpace()
            guard peek == UInt8(ascii: "\"") else { throw unexpected("a key in double quotes") }
            let start = self
            let key = try string()
            guard keys.insert(key).inserted else {
                throw start.error(found: "the key \"\(key)\" twice", "each key once")
            }
            skipSpace()
            guard take(":") else { throw unexpected("a colon after the key \"\(key)\"") }
            members.append(.init(key: key, start: start.position, node: try value(depth: depth + 1)))
            let end = self
            skipSpace()
            if take("}") { return .object(members) }
            try comma(after: end, closing: "}", "a comma or a closing brace")
        }
    }

    private mutating func array(depth: Int) throws(SyntaxError) -> JSONNode.Value {
        position += 1
        var elements: [JSONNode] = []
        skipSpace()
        if take("]") { return .array([]) }
        while true {
            elements.append(try value(depth: depth + 1))
            let end = self
            skipSpace()
            if take("]") { return .array(elements) }
            try comma(after: end, closing: "]", "a comma or a closing bracket")
        }
    }

    /// Reads the comma after a member or an element.
    ///
    /// - Parameters:
    ///   - end: The position behind the value.
    ///   - closing: The end of the object or the array.
    private mutating func comma(
        after end: Self, closing: Unicode.Scalar, _ expected: String
    ) throws(SyntaxError) {
        let start = self
        guard take(",") else {
            // A value or a key follows.
            if let byte = peek, isDigit(byte) || "\"{[-tfn".utf8.contains(byte) {
                throw end.error(found: "no comma behind the value", "a comma before the next one")
            }
            throw unexpected(expected)
        }
        skipSpace()
        if peek == UInt8(ascii: closing) {
            throw start.error(found: "a comma before '\(closing)'", "no comma behind the last value: delete it")
        }
    }

    private mutating func word(_ word: String, _ value: JSONNode.Value) throws(SyntaxError) -> JSONNode.Value {
        guard bytes[position...].starts(with: word.utf8) else { throw unexpected(word) }
        position += word.utf8.count
        return value
    }

    private mutating func number() throws(SyntaxError) -> Double {
        let start = self
        while let byte = peek, isDigit(byte) || "+-.eE".utf8.contains(byte) { position += 1 }
        let text = String(decoding: bytes[start.position..<position], as: UTF8.self)
        let digits = text.drop { $0 == "-" }
        let leadingZero = digits.first == "0" && (digits.dropFirst().first?.isNumber ?? false)
        // Double takes a point without a digit behind it, JSON does not.
        let barePoint = text.contains(".e") || text.contains(".E")
        guard !leadingZero, !barePoint, digits.first?.isNumber == true, text.last?.isNumber == true,
            let number = Double(text), number.isFinite
        else { throw start.error(found: text, "a number") }
        return number
    }

    private mutating func string() throws(SyntaxError) -> String {
        let start = self
        position += 1
        var text: [UInt8] = []
        while let byte = peek {
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = String(validating: text, as: UTF8.self) else {
                    throw start.error(found: "bytes that are not UTF-8", "text in UTF-8")
                }
                return string
            case UInt8(ascii: "\\"): try escape(into: &text)
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                throw start.error(found: "a text without its end", "a closing quote on the same line")
            case 0..<0x20:
                position -= 1
                throw unexpected("a closing quote; control characters are written as escapes")
            default: text.append(byte)
            }
        }
        throw start.error(found: "a text without its end", "a closing quote")
    }

    private mutating func escape(into text: inout [UInt8]) throws(SyntaxError) {
        let escapes: [UInt8: UInt8] = [
            UInt8(ascii: "\""): 0x22, UInt8(ascii: "\\"): 0x5C, UInt8(ascii: "/"): 0x2F, UInt8(ascii: "b"): 0x08,
            UInt8(ascii: "f"): 0x0C, UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
        ]
        if let letter = peek, let byte = escapes[letter] {
            position += 1
            return text.append(byte)
        }
        guard take("u") else { throw unexpected("an escape such as \\n or \\u00e9") }
        var unit = try hexadecimal()
        if 0xD800..<0xDC00 ~= unit, take("\\"), take("u") {
            let low = try hexadecimal()
            guard 0xDC00..<0xE000 ~= low else { throw unexpected("the second half of a surrogate pair") }
            unit = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(unit) else { throw unexpected("both halves of a surrogate pair") }
        text += Array(String(Character(scalar)).utf8)
    }

    private mutating func hexadecimal() throws(SyntaxError) -> UInt32 {
        let digits = String(decoding: bytes[position...].prefix(4), as: UTF8.self)
        guard digits.utf8.count == 4, let unit = UInt32(hexadecimal: digits) else {
            throw unexpected("four hexadecimal digits")
        }
        position += 4
        return unit
    }

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = peek, " \t\r\n".utf8.contains(byte) {
            position += 1
            if byte == UInt8(ascii: "\n") { (line, lineStart) = (line + 1, position) }
        }
    }

    private func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

    private func unexpected(_ expected: String) -> SyntaxError {
        guard let byte = peek else { return error(found: "the end of the file", expected) }
        if position == 0, bytes.starts(with: "\u{FEFF}".utf8) {
            return error(found: "a byte order mark", "plain UTF-8: have the editor save it without the mark")
        }
        if let mistake = Self.mistakes.first(where: { bytes[position...].starts(with: $0.start.utf8) }) {
            return error(found: mistake.found, mistake.expected)
        }
        // UTF-8 has at most four bytes for a scalar (RFC 3629).
        let scalar = (1...4).lazy.compactMap { String(validating: bytes[position...].prefix($0), as: UTF8.self) }.first
        if let scalar, scalar.plain() == scalar { return error(found: "'\(scalar)'", expected) }
        return error(found: "the byte 0x\(String(byte, radix: 16))", expected)
    }

    /// The texts that other formats allow and that editors insert, with their corrections.
    private static let mistakes: [(start: String, found: String, expected: String)] =
        ["//", "/*", "#"].map { ($0, "a comment", "no comment, because JSON has none: delete it") }
        + ["\u{201C}", "\u{201D}", "\u{201E}", "\u{201F}", "\u{AB}", "\u{BB}", "\u{2018}", "\u{2019}", "\u{FF02}"].map {
            (
                $0, "the quotation mark \($0)",
                "the straight one, '\"'; write the file with a plain text editor, such as nano"
            )
        }
        + [("'", "a single quotation mark", "a double one, '\"'")]
        + [
            ("\u{A0}", "a no-break space", "an ordinary space; text from a web page has others"),
            ("\u{3000}", "a full-width space", "an ordinary space"), ("\u{FF1A}", "a full-width colon", "':'"),
            ("\u{FF0C}", "a full-width comma", "','"), ("\u{3001}", "a full-width comma", "','"),
            ("\u{300C}", "a full-width bracket", "'\"'"), ("\u{300D}", "a full-width bracket", "'\"'"),
        ]
        + [("True", "True", "true"), ("False", "False", "false"), ("None", "None", "null")]

    /// The column counts characters, as an editor shows it.
    private func error(found: String, _ expected: String) -> SyntaxError {
        let column = String(decoding: bytes[lineStart..<position], as: UTF8.self).unicodeScalars.count + 1
        return SyntaxError(line: line, column: column, found: found, expected: expected)
    }
}
