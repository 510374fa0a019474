package import FoundationEssentials
import OkaeriPlumbing

/// Values as JSON text (RFC 8259).
package enum JSON {
    /// Nearly all strings need no escape. The encoder knows the others, and takes its time for it.
    package static func text(_ string: String) -> String {
        let isPlain = string.utf8.allSatisfy { (0x20..<0x7F).contains($0) && $0 != 0x22 && $0 != 0x5C }
        return isPlain ? "\"\(string)\"" : encoded(string).escaped
    }

    /// Returns a number; `null` for one that JSON cannot represent.
    package static func number(_ number: Double) -> String {
        // The encoder writes these likewise, and takes its time for it.
        guard 1e-3..<1e9 ~= number.magnitude else { return encoded(number) }
        let text = "\(number)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    /// Of strings, numbers and booleans; a number that JSON cannot represent becomes null.
    package static func encoded(_ value: some Encodable) -> String { text(of: value, encoder(), else: "null") }

    /// Returns an object on one line, its members sorted.
    package static func line(_ value: some Encodable) -> String { text(of: value, encoder(.sortedKeys), else: "{}") }

    /// Returns an encoder that does not escape slashes.
    package static func encoder(_ formatting: JSONEncoder.OutputFormatting = []) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting.union(.withoutEscapingSlashes)
        return encoder
    }

    private static func text(of value: some Encodable, _ encoder: JSONEncoder, else missing: String) -> String {
        (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? missing
    }
}

extension String {
    /// The text of a JSON string with an escape in the place of what the encoder leaves and a terminal obeys: the controls
    /// above ASCII, and what turns text around.
    fileprivate var escaped: String {
        if isPlainName { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            if String(scalar).isPlainName {
                text.unicodeScalars.append(scalar)
            } else {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            }
        }
    }
}
