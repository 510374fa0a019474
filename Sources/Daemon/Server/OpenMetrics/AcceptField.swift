/// The media types that a client accepts: the field `Accept` of a request (RFC 9110, 12.5.1).
struct AcceptField: Sendable, Equatable {
    /// A media range with its quality.
    struct Range: Sendable, Equatable {
        /// In lower case; `*` for any.
        var type: String
        var subtype: String
        /// Without `q`. The names are in lower case.
        var parameters: [Parameter] = []
        /// In thousandths, from 0 (not acceptable) to 1000.
        var quality = 1000

        struct Parameter: Sendable, Equatable {
            var name: String
            var value: String
        }
    }

    /// The number of bytes, and of ranges, that are read: ten times as many as clients send.
    static let byteLimit = 4096
    static let rangeLimit = 32

    /// The ranges in their order, without malformed ones.
    let ranges: [Range]

    init(_ text: String) {
        ranges = Self.parts(text.utf8.prefix(Self.byteLimit), at: UInt8(ascii: ","))
            .prefix(Self.rangeLimit).compactMap(Range.init)
    }

    /// Returns the quality of a media type by the most specific range that matches it, in thousandths; `nil` if no range does.
    ///
    /// - Parameters:
    ///   - type: Such as `text/plain`, in lower case.
    ///   - parameters: The parameters of the type. A range with another value for one of them does not match.
    func quality(of type: String, _ parameters: [Range.Parameter]) -> (value: Int, isNamed: Bool)? {
        let matching = ranges.filter { $0.matches(type, parameters) }
        guard let precision = matching.map(\.precision).max() else { return nil }
        // Of two ranges that are equally specific the better one counts.
        let best = matching.filter { $0.precision == precision }.map(\.quality).max()
        return best.map { ($0, precision >= Range.namedPrecision) }
    }

    /// Returns the parts between separators that are not within a quoted string.
    fileprivate static func parts(_ bytes: some Collection<UInt8>, at separator: UInt8) -> [[UInt8]] {
        var parts: [[UInt8]] = [[]]
        var (isQuoted, isEscaped) = (false, false)
        for byte in bytes {
            if byte == separator, !isQuoted {
                parts.append([])
                continue
            }
            parts[parts.count - 1].append(byte)
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\"), isQuoted {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            }
        }
        return parts
    }
}

extension AcceptField.Range {
    /// The precision of a range that names type and subtype.
    fileprivate static let namedPrecision = 2

    fileprivate var precision: Int { (type == "*" ? 0 : 1) + (subtype == "*" ? 0 : 1 + parameters.count) }

    fileprivate func matches(_ name: String, _ parameters: [Parameter]) -> Bool {
        let isOfType = type == "*" || name.hasPrefix("\(type)/")
        guard isOfType, subtype == "*" || name == "\(type)/\(subtype)" else { return false }
        return self.parameters.allSatisfy { wanted in
            // Parameters that the type does not have, such as `escaping` of Prometheus, are hints.
            parameters.allSatisfy { $0.name != wanted.name || $0.value == wanted.value.lowercased() }
        }
    }

    /// Parses `type/subtype;name=value;q=0.5`; `nil` if it is malformed.
    fileprivate init?(_ bytes: [UInt8]) {
        let parts = AcceptField.parts(bytes, at: UInt8(ascii: ";")).map(Self.trimmed)
        let names = parts[0].split(separator: "/", omittingEmptySubsequences: false)
        guard names.count == 2, names.allSatisfy(Self.isToken), names[0] != "*" || names[1] == "*" else { return nil }
        self.init(type: names[0].lowercased(), subtype: names[1].lowercased())
        for part in parts.dropFirst() where !part.isEmpty {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard pair.count == 2, Self.isToken(pair[0][...]), let value = Self.unquoted(pair[1]) else { return nil }
            let name = pair[0].lowercased()
            guard name == "q" else {
                parameters.append(Parameter(name: name, value: value))
                continue
            }
            guard let quality = Self.thousandths(value) else { return nil }
            self.quality = quality
            // Parameters after the quality are not of the type.
            return
        }
    }

    private static func trimmed(_ bytes: [UInt8]) -> String {
        func isContent(_ byte: UInt8) -> Bool { byte != UInt8(ascii: " ") && byte != UInt8(ascii: "\t") }
        guard let first = bytes.firstIndex(where: isContent), let last = bytes.lastIndex(where: isContent) else {
            return ""
        }
        return String(decoding: bytes[first...last], as: UTF8.self)
    }

    /// A token (RFC 9110, 5.6.2).
    private static func isToken(_ text: Substring) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    /// A token as it is, or the content of a quoted string (RFC 9110, 5.6.4).
    private static func unquoted(_ text: String) -> String? {
        guard text.hasPrefix("\"") else { return isToken(text[...]) ? text : nil }
        guard text.count >= 2, text.hasSuffix("\"") else { return nil }
        var content = ""
        var isEscaped = false
        for character in text.dropFirst().dropLast() {
            if character == "\\", !isEscaped {
                isEscaped = true
                continue
            }
            content.append(character)
            isEscaped = false
        }
        return isEscaped ? nil : content
    }

    /// The value of `q` (RFC 9110, 12.4.2): from `0` to `1`, with three decimals at most.
    private static func thousandths(_ text: String) -> Int? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let decimals = parts.count == 2 ? parts[1] : ""
        guard parts[0] == "0" || parts[0] == "1", decimals.utf8.count <= 3,
            decimals.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
        else { return nil }
        let padded = decimals + String(repeating: "0", count: 3 - decimals.utf8.count)
        let value = (parts[0] == "1" ? 1000 : 0) + (Int(padded) ?? 0)
        return value <= 1000 ? value : nil
    }
}
