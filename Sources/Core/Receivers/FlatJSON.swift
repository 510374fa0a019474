import OkaeriPlumbing

/// The values of a JSON text that are asked for, without a tree of the others.
///
/// A hub reads a hundred reports a second, and needs three values of each. Nothing is decoded before it is asked for. The text is read
/// leniently inside a value that is passed over; its brackets and strings must be closed.
struct FlatJSON: Sendable {
    /// The nesting up to which a text is read.
    private static let deepest = 16

    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// A value in the text.
    struct Value: Sendable {
        fileprivate let range: Range<Int>
    }

    /// The value of the whole text; `nil` if something follows it, or if it is not closed.
    var root: Value? {
        var position = 0
        guard let value = value(at: &position, before: bytes.count) else { return nil }
        skipSpace(&position, before: bytes.count)
        return position == bytes.count ? value : nil
    }

    /// Passes each member of an object that is the whole text to a function.
    ///
    /// - Returns: Whether the text is an object. The function may have received members in front of a mistake.
    func members(_ body: (_ key: Key, Value) -> Void) -> Bool {
        var start = 0
        skipSpace(&start, before: bytes.count)
        var end = bytes.count
        while end > start, isSpace(bytes[end - 1]) { end -= 1 }
        guard end - start >= 2, bytes[end - 1] == UInt8(ascii: "}") else { return false }
        return members(of: Value(range: start..<end)) { key, value in
            body(key, value)
            return true
        }
    }

    /// Passes each member of an object to a function, until that returns false. Returns whether the value is an object.
    @discardableResult
    func members(of object: Value, _ body: (_ key: Key, Value) -> Bool) -> Bool {
        elements(of: object, UInt8(ascii: "{"), UInt8(ascii: "}")) { position, end in
            guard let key = value(at: &position, before: end), bytes[key.range.lowerBound] == UInt8(ascii: "\"") else {
                return nil
            }
            skipSpace(&position, before: end)
            guard position < end, bytes[position] == UInt8(ascii: ":") else { return nil }
            position += 1
            guard let value = value(at: &position, before: end) else { return nil }
            return body(Key(text: self, range: key.range), value)
        }
    }

    /// Passes each element of an array to a function, until that returns false. Returns whether the value is an array.
    @discardableResult
    func elements(of array: Value, _ body: (Value) -> Bool) -> Bool {
        elements(of: array, UInt8(ascii: "["), UInt8(ascii: "]")) { position, end in
            value(at: &position, before: end).map { body($0) }
        }
    }

    /// Returns the first elements of an array, at most as many as a limit; `nil` for another value.
    func elements(of array: Value, limit: Int) -> [Value]? {
        var list: [Value] = []
        let isArray = elements(of: array) { value in
            list.append(value)
            return list.count < limit
        }
        return isArray ? list : nil
    }

    /// The name of a member.
    struct Key {
        fileprivate let text: FlatJSON
        fileprivate let range: Range<Int>

        /// Whether the name is written like that, without escapes.
        static func ~= (name: StaticString, key: Key) -> Bool {
            let inner = key.range.lowerBound + 1..<key.range.upperBound - 1
            guard inner.count == name.utf8CodeUnitCount else { return false }
            return name.withUTF8Buffer { letters in
                for index in 0..<inner.count
                where unsafe letters[index] != key.text.bytes[inner.lowerBound + index] {
                    return false
                }
                return true
            }
        }
    }

    // MARK: Values

    /// Returns a text of at most so many bytes; `nil` for another value, and for one with a wrong escape.
    func string(_ value: Value, longest: Int = 256) -> String? {
        guard value.range.count >= 2, bytes[value.range.lowerBound] == UInt8(ascii: "\""),
            value.range.count - 2 <= longest
        else { return nil }
        let inner = bytes[value.range.lowerBound + 1..<value.range.upperBound - 1]
        guard inner.contains(UInt8(ascii: "\\")) else { return String(validating: inner, as: UTF8.self) }
        return unescaped(inner)
    }

    /// Returns the bytes of a text without escapes; `nil` for another value.
    func letters(_ value: Value) -> ArraySlice<UInt8>? {
        guard value.range.count >= 2, bytes[value.range.lowerBound] == UInt8(ascii: "\"") else { return nil }
        let inner = bytes[value.range.lowerBound + 1..<value.range.upperBound - 1]
        return inner.contains(UInt8(ascii: "\\")) ? nil : inner
    }

    /// Returns a number, also from a text with a number: some makers quote them. `nil` for another value.
    func number(_ value: Value) -> Double? {
        var range = value.range
        if bytes[range.lowerBound] == UInt8(ascii: "\"") {
            range = range.lowerBound + 1..<max(range.lowerBound + 1, range.upperBound - 1)
        }
        guard 1...32 ~= range.count, let first = bytes[range].first,
            first == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
        else { return nil }
        // Most are small and whole.
        if range.count <= 6, let whole = whole(range) { return Double(whole) }
        guard let number = Double(String(decoding: bytes[range], as: UTF8.self)), number.isFinite else { return nil }
        return number
    }

    /// Returns a whole number within a range of integers; `nil` for another value.
    func integer<Number: FixedWidthInteger>(_ value: Value, as type: Number.Type = Number.self) -> Number? {
        number(value).flatMap { Number(exactly: $0) }
    }

    func bool(_ value: Value) -> Bool? {
        if bytes[value.range].elementsEqual("true".utf8) { return true }
        return bytes[value.range].elementsEqual("false".utf8) ? false : nil
    }

    private func whole(_ range: Range<Int>) -> Int? {
        var (number, isNegative) = (0, false)
        for index in range {
            let byte = bytes[index]
            if index == range.lowerBound, byte == UInt8(ascii: "-"), range.count > 1 {
                isNegative = true
            } else if (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
                number = 10 * number + Int(byte - UInt8(ascii: "0"))
            } else {
                return nil
            }
        }
        return isNegative ? -number : number
    }

    private func unescaped(_ inner: ArraySlice<UInt8>) -> String? {
        var (letters, rest) = ([UInt8](), inner)
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                letters.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "\""): letters.append(UInt8(ascii: "\""))
            case UInt8(ascii: "\\"): letters.append(UInt8(ascii: "\\"))
            case UInt8(ascii: "/"): letters.append(UInt8(ascii: "/"))
            case UInt8(ascii: "n"): letters.append(0x0A)
            case UInt8(ascii: "t"): letters.append(0x09)
            case UInt8(ascii: "r"): letters.append(0x0D)
            case UInt8(ascii: "b"): letters.append(0x08)
            case UInt8(ascii: "f"): letters.append(0x0C)
            case UInt8(ascii: "u"):
                guard let scalar = scalar(&rest) else { return nil }
                letters += Array(String(Character(scalar)).utf8)
            default: return nil
            }
        }
        return String(validating: letters, as: UTF8.self)
    }

    private func scalar(_ rest: inout ArraySlice<UInt8>) -> Unicode.Scalar? {
        guard let first = unit(&rest) else { return nil }
        guard 0xD800..<0xDC00 ~= first else { return Unicode.Scalar(first) }
        guard rest.popFirst() == UInt8(ascii: "\\"), rest.popFirst() == UInt8(ascii: "u"), let second = unit(&rest),
            0xDC00..<0xE000 ~= second
        else { return nil }
        return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    }

    private func unit(_ rest: inout ArraySlice<UInt8>) -> UInt32? {
        guard rest.count >= 4 else { return nil }
        var value: UInt32 = 0
        for byte in rest.prefix(4) {
            guard let digit = byte.hexadecimalValue else { return nil }
            value = value << 4 | UInt32(digit)
        }
        rest.removeFirst(4)
        return value
    }

    // MARK: Structure

    /// Passes the positions of elements between brackets to a function, which moves the position behind one.
    ///
    /// - Parameter element: Returns whether to continue; `nil` for a wrong text.
    private func elements(
        of value: Value, _ open: UInt8, _ close: UInt8, _ element: (inout Int, Int) -> Bool?
    ) -> Bool {
        guard bytes[value.range.lowerBound] == open, value.range.count >= 2 else { return false }
        var position = value.range.lowerBound + 1
        let end = value.range.upperBound - 1
        skipSpace(&position, before: end)
        guard position < end else { return true }
        while true {
            guard let isContinued = element(&position, end) else { return false }
            guard isContinued else { return true }
            skipSpace(&position, before: end)
            guard position < end else { return true }
            guard bytes[position] == UInt8(ascii: ",") else { return false }
            position += 1
        }
    }

    private func skipSpace(_ position: inout Int, before end: Int) {
        while position < end, isSpace(bytes[position]) { position += 1 }
    }

    private func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }

    /// Returns the value at a position, which is moved behind it.
    private func value(at position: inout Int, before end: Int) -> Value? {
        skipSpace(&position, before: end)
        let start = position
        guard start < end else { return nil }
        switch bytes[start] {
        case UInt8(ascii: "\""):
            guard skipString(&position, before: end) else { return nil }
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard skipNested(&position, before: end) else { return nil }
        default:
            while position < end, isPlain(bytes[position]) { position += 1 }
            guard position > start else { return nil }
        }
        return Value(range: start..<position)
    }

    /// Whether a byte may be a part of a number or a word.
    private func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    private func skipString(_ position: inout Int, before end: Int) -> Bool {
        position += 1
        while position < end {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                position += 1
                return true
            case UInt8(ascii: "\\"): position += 2
            case 0..<0x20: return false
            default: position += 1
            }
        }
        return false
    }

    private func skipNested(_ position: inout Int, before end: Int) -> Bool {
        var open: [UInt8] = []
        while position < end {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                guard skipString(&position, before: end) else { return false }
                continue
            case UInt8(ascii: "{"): open.append(UInt8(ascii: "}"))
            case UInt8(ascii: "["): open.append(UInt8(ascii: "]"))
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard open.popLast() == bytes[position] else { return false }
            default: break
            }
            guard open.count <= Self.deepest else { return false }
            position += 1
            if open.isEmpty { return true }
        }
        return false
    }
}

extension [UInt8] {
    /// Decodes base64 (RFC 4648, Section 4), with or without padding; `nil` for other letters and beyond a limit of bytes.
    init?(base64 letters: some Collection<UInt8>, longest: Int) {
        var (bytes, buffer, bits) = ([UInt8](), UInt32(0), 0)
        var (padding, count) = (0, 0)
        for letter in letters {
            guard letter != UInt8(ascii: "=") else {
                padding += 1
                continue
            }
            guard padding == 0, let value = Self.base64Value(letter) else { return nil }
            (buffer, bits, count) = (buffer << 6 | value, bits + 6, count + 1)
            guard bits >= 8 else { continue }
            bits -= 8
            guard bytes.count < longest else { return nil }
            bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
        }
        guard padding <= 2, count % 4 != 1 else { return nil }
        self = bytes
    }

    private static func base64Value(_ letter: UInt8) -> UInt32? {
        switch letter {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(letter - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(letter - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(letter - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
