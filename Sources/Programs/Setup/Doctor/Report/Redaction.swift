import OkaeriConfiguration
import OkaeriPlumbing

/// A value of the configuration, the daemon or the machine, which no report may contain.
struct KnownName: Sendable, Equatable {
    var text: String
    /// The word in its placeholder, such as `region`.
    var kind: String

    init(_ text: String, _ kind: String) { (self.text, self.kind) = (text, kind) }
}

/// Replaces values in sentences by placeholders, where the sentences have them. The same value has the same placeholder everywhere.
///
/// A sentence of Okaeri has a value in quotation marks, or the value has a form: an address, a host name, a path, a topic. Values are
/// not searched: a report in which each "scan" is missing would show that "scan" is one. Only what no word of a sentence is like, a
/// path and a name with a quotation mark or a backslash, is replaced wherever it stands, because it may have spaces, and because
/// sentences do not escape it.
struct Redaction: Sendable {
    /// The delimiters of placeholders until the end, so that nothing in them is replaced again.
    private static let (open, close): (Character, Character) = ("\u{E000}", "\u{E001}")

    private static let quotationMarks: Set<Character> = ["\"", "“", "”"]

    private var placeholders: [String: String] = [:]
    private var counts: [String: Int] = [:]
    /// The texts that are replaced wherever they stand, the longest first.
    private var unlike: [(text: String, replacement: String)] = []

    /// Registers a value, so that its placeholder has its kind.
    mutating func add(_ known: KnownName) {
        guard !known.text.isEmpty else { return }
        let replacement = placeholder(for: known.text, known.kind)
        let isPath = known.text.hasPrefix("/") && !Self.plainPaths.contains(known.text)
        guard isPath || known.text.contains(where: { $0 == "\\" || Self.quotationMarks.contains($0) }) else { return }
        let escaped = known.text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        for text in Set([known.text, escaped]) {
            if text.contains(where: { $0.isLetter || $0.isNumber }) {
                unlike.append((text, replacement))
            } else {
                // Alone, it could be any quotation mark of a sentence.
                unlike.append(("\"\(text)\"", "\"\(replacement)\""))
                unlike.append(("“\(text)”", "“\(replacement)”"))
            }
        }
        unlike.sort { $0.text.count > $1.text.count }
    }

    /// Returns a text without values.
    mutating func callAsFunction(_ text: String) -> String {
        var text = String(text.map { $0 == Self.open || $0 == Self.close ? " " : $0 })
        for value in unlike where text.contains(value.text) {
            text = text.replacing(value.text, with: value.replacement)
        }
        text = withoutUnknownKeys(text)
        text = Self.withoutIdentities(Self.withoutNumbers(text))
        text = withoutQuotations(text)
        text = withoutAddresses(text)
        return String(text.map { $0 == Self.open ? "<" : $0 == Self.close ? ">" : $0 })
    }

    private mutating func placeholder(for text: String, _ kind: String) -> String {
        let key = text.lowercased()
        if let known = placeholders[key] { return known }
        counts[kind, default: 0] += 1
        let made = "\(Self.open)\(kind)-\(counts[kind, default: 0])\(Self.close)"
        placeholders[key] = made
        return made
    }

    /// Returns the text with placeholders for quotations, which are values unless they are keys of the configuration. A quotation without
    /// an end reaches to the end of the text.
    private mutating func withoutQuotations(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let start = rest.firstIndex(where: { $0 == "\"" || $0 == "“" }) {
            let after = rest.index(after: start)
            let end: Character = rest[start] == "“" ? "”" : "\""
            let stop = Self.end(of: rest[after...], at: end)
            let content = String(rest[after..<stop])
            result += rest[..<after]
            let isKept =
                content.isEmpty || Configuration.words.contains(content) || placeholders.values.contains(content)
            result += isKept ? content : placeholder(for: content, "text")
            guard stop < rest.endIndex else { return result + String(end) }
            result.append(end)
            rest = rest[rest.index(after: stop)...]
        }
        return result + rest
    }

    private static let unknownKeys = [": found an unknown key", ": found a key that is not set here"]

    /// The place of the closing mark, which no backslash precedes; the end of the text without one.
    private static func end(of text: Substring, at mark: Character) -> Substring.Index {
        var isEscaped = false
        for index in text.indices {
            let character = text[index]
            if character == mark, !isEscaped { return index }
            isEscaped = character == "\\" && !isEscaped
        }
        return text.endIndex
    }

    /// Returns the text without the keys that mistakes of the configuration do not know: such a key may be a value in a wrong place.
    private mutating func withoutUnknownKeys(_ text: String) -> String {
        var lines: [String] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            var result = ""
            var rest = line
            while let mistake = Self.unknownKeys.compactMap({ rest.firstRange(of: $0) }).min(by: {
                $0.lowerBound < $1.lowerBound
            }) {
                let before = rest[..<mistake.lowerBound]
                let start = Self.knownEnd(of: before[Self.placeStart(in: before)...])
                let key = String(before[start...])
                result += before[..<start] + (key.isEmpty ? "" : placeholder(for: key, "text")) + rest[mistake]
                rest = rest[mistake.upperBound...]
            }
            lines.append(result + rest)
        }
        return lines.joined(separator: "\n")
    }

    /// The start of the place in a text that ends with it: behind the file's name. Mistakes before it end with what they expect. In a
    /// text without such a name, everything may belong to the key.
    private static func placeStart(in text: Substring) -> Substring.Index {
        let file = ".json: "
        let last = text.ranges(of: ", expected ").last.map { text[$0.upperBound...] } ?? text
        return (last.firstRange(of: file) ?? text.firstRange(of: file))?.upperBound ?? text.startIndex
    }

    /// The end of the known keys at the beginning of a place such as `regions[0].wifi.key`.
    private static func knownEnd(of place: Substring) -> Substring.Index {
        var end = place.startIndex
        for part in place.split(separator: ".", omittingEmptySubsequences: false) {
            let name = part.prefix { $0 != "[" }
            let index = part[name.endIndex...]
            let isIndex = index.hasSuffix("]") && index.count < 6 && index.dropFirst().dropLast().allSatisfy(\.isNumber)
            guard Configuration.words.contains(String(name)), index.isEmpty || isIndex else { return end }
            end = part.endIndex == place.endIndex ? part.endIndex : place.index(after: part.endIndex)
        }
        return end
    }

    /// Returns the text without the numbers that mistakes of the configuration quote, except those of settings.
    private static func withoutNumbers(_ text: String) -> String {
        let (verb, end) = (": found ", ", expected ")
        var result = ""
        var rest = text[...]
        while let found = rest.firstRange(of: verb) {
            result += rest[..<found.upperBound]
            let key = rest[..<found.lowerBound].reversed().prefix { $0.isLetter }
            rest = rest[found.upperBound...]
            let number = rest.prefix { $0.isNumber || "+-.eE".contains($0) }
            guard !number.isEmpty, rest[number.endIndex...].hasPrefix(end),
                !ConfigurationShape.plainNumbers.contains(String(key.reversed()))
            else { continue }
            result += "\(open)number\(close)"
            rest = rest[number.endIndex...]
        }
        return result + rest
    }

    /// Returns the text without the numbers of beacons, as in "major 1 minor 2".
    private static func withoutIdentities(_ text: String) -> String {
        text.replacing(#/\b(major|minor) [0-9]+/#) { "\($0.output.1) \(open)number\(close)" }
    }

    private mutating func withoutAddresses(_ text: String) -> String {
        var result = ""
        var token = ""
        var isInside = false
        for character in text {
            if character == Self.open || character == Self.close || isInside {
                result += replaced(token)
                token = ""
                isInside = character == Self.open || isInside && character != Self.close
                result.append(character)
            } else if Self.isPart(character) {
                token.append(character)
            } else {
                result += replaced(token)
                token = ""
                result.append(character)
            }
        }
        return result + replaced(token)
    }

    private static func isPart(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || "/:._%@-~+".contains(character)
    }

    /// A word without its punctuation.
    private mutating func replaced(_ token: String) -> String {
        guard !token.isEmpty else { return token }
        let core = token.drop { ".:-".contains($0) && !token.hasPrefix("::") }
        let ending = core.reversed().prefix { ".:-".contains($0) }.count
        let word = String(core.dropLast(ending == core.count ? 0 : ending))
        guard let kind = Self.kind(of: word) else { return token }
        let start = token.prefix(token.count - core.count)
        let end = core.suffix(ending == core.count ? 0 : ending)
        return String(start) + placeholder(for: word, kind) + String(end)
    }

    /// Returns the kind of a name or an address by its form; `nil` for any other word.
    static func kind(of word: String) -> String? {
        if word.contains("@") { return "address" }
        if word.contains("://") { return "url" }
        if word.hasPrefix("/") || word.hasPrefix("~/") { return plainPaths.contains(word) ? nil : "path" }
        if word.contains(":/") || word.hasPrefix("CREDENTIALS_DIRECTORY/") { return "path" }
        if word.hasPrefix("okaeri/") || word.contains("/device/") { return "topic" }
        let digits = word.filter { !":-_".contains($0) }
        let isHexadecimal = !digits.isEmpty && digits.allSatisfy { $0.isASCII && $0.isHexDigit }
        if isHexadecimal, digits.count == 32 { return "uuid" }
        if isHexadecimal, digits.count == 12, !word.allSatisfy(\.isNumber) || word != digits { return "mac" }
        if isHexadecimal, digits.count >= 12, word == digits { return "digits" }
        if word.hasPrefix("dev_"), digits.count == 15 { return "mac" }
        if isAddress(word) { return "ip" }
        return isHostName(word) || isHostWithPort(word) ? "host" : nil
    }

    private static func isAddress(_ word: String) -> Bool {
        let address = word.prefix { $0 != "%" && $0 != "/" }
        if IPAddress(String(address)) != nil { return true }
        // With a port.
        guard let colon = address.lastIndex(of: ":") else { return false }
        return IPAddress(String(address[..<colon])) != nil
    }

    private static func isHostName(_ word: String) -> Bool {
        let name = word.prefix { $0 != ":" }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count > 1, let last = labels.last, last.count > 1, last.allSatisfy(\.isLetter) else {
            return false
        }
        return !plainEndings.contains(String(last))
            && !labels.allSatisfy { Configuration.words.contains(String($0)) }
    }

    /// A host name of one label with a port: `homeassistant:1883`.
    private static func isHostWithPort(_ word: String) -> Bool {
        guard let colon = word.lastIndex(of: ":"), let port = UInt16(word[word.index(after: colon)...]), port > 0 else {
            return false
        }
        return word.first?.isLetter == true && word[..<colon].allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" }
    }

    private static let plainEndings: Set = [
        "json", "md", "service", "sock", "socket", "sqlite", "conf", "js", "svg", "swift", "timer", "target",
    ]

    private static let plainPaths: Set = [
        "/etc/okaeri", Configuration.serviceFile, "/run/okaeri/okaeri.sock", "/run/okaeri", "/var/lib/okaeri",
        "/var/lib/okaeri/state.json", "/var/lib/okaeri/history.sqlite", "/usr/bin/okaeri", "/usr/local/bin/okaeri", "/",
        "/dev/stdin",
    ]
}
