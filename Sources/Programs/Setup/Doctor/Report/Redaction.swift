import OkaeriConfiguration
import OkaeriPlumbing

/// A name that no report may contain.
struct KnownName: Sendable, Equatable {
    var text: String
    /// The word in its placeholder, such as `region`.
    var kind: String

    init(_ text: String, _ kind: String) { (self.text, self.kind) = (text, kind) }
}

/// Replaces names and addresses in texts by placeholders. The same name has the same placeholder everywhere.
///
/// Known names are replaced wherever they stand. Beside them, whatever has the form of an address, a host name, a path, a topic
/// or a quotation is replaced, because a journal also has names of the past.
struct Redaction: Sendable {
    private struct Name {
        /// In lower case, as far as it is ASCII.
        var bytes: [UInt8]
        var placeholder: String
    }

    /// The delimiters of placeholders until the end, so that nothing in them is replaced again.
    private static let (open, close): (Character, Character) = ("\u{E000}", "\u{E001}")

    /// The length below which a name is replaced only as a whole word.
    private static let shortName = 4

    private var placeholders: [String: String] = [:]
    private var counts: [String: Int] = [:]
    private var names: [Name] = []

    /// The names that stand for no place and no person.
    private static let plainNames: Set = [ServiceAccount.name, "root", "localhost"]

    /// Adds a name that no text may contain.
    mutating func add(_ known: KnownName) {
        let (name, kind) = (known.text, known.kind)
        guard !Self.plainNames.contains(name.lowercased()) else { return }
        for form in Set([name, name.plain(), name.escapedName]) where !form.allSatisfy(\.isWhitespace) {
            let key = form.lowercased()
            guard placeholders[key] == nil else { continue }
            names.append(Name(bytes: Self.folded(form), placeholder: placeholder(for: name, kind)))
            placeholders[key] = placeholder(for: name, kind)
        }
        names.sort { $0.bytes.count > $1.bytes.count }
    }

    /// Returns a text without names and addresses.
    mutating func callAsFunction(_ text: String) -> String {
        var text = String(text.map { $0 == Self.open || $0 == Self.close ? " " : $0 })
        text = withoutNames(text)
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

    private static func folded(_ text: some StringProtocol) -> [UInt8] {
        text.utf8.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }
    }

    private func withoutNames(_ text: String) -> String {
        let (bytes, folded) = (Array(text.utf8), Self.folded(text))
        let byFirst = Dictionary(grouping: names.filter { !$0.bytes.isEmpty }) { $0.bytes[0] }
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let found = byFirst[folded[index]]?.first { name in
                let end = index + name.bytes.count
                guard end <= folded.count, folded[index..<end].elementsEqual(name.bytes) else { return false }
                guard name.bytes.count < Self.shortName else { return true }
                return !(index > 0 && Self.isWord(folded[index - 1]))
                    && !(end < folded.count && Self.isWord(folded[end]))
            }
            if let found {
                result += found.placeholder.utf8
                index += found.bytes.count
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        byte >= 0x80 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
    }

    /// Returns the text with placeholders for quotations, which are names or values unless they are keys of the configuration.
    private mutating func withoutQuotations(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let start = rest.firstIndex(where: { $0 == "\"" || $0 == "“" }) {
            let after = rest.index(after: start)
            let end: Character = rest[start] == "“" ? "”" : "\""
            guard let stop = rest[after...].firstIndex(of: end) else { break }
            let content = String(rest[after..<stop])
            let isKept = content.contains(Self.open) || Configuration.words.contains(content) || content.isEmpty
            result += rest[..<after]
            result += isKept ? content : placeholder(for: content, "text")
            result.append(end)
            rest = rest[rest.index(after: stop)...]
        }
        return result + rest
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
        if word.hasPrefix("okaeri/") || word.contains("/device/") { return "topic" }
        let digits = word.filter { !":-_".contains($0) }
        let isHexadecimal = !digits.isEmpty && digits.allSatisfy { $0.isASCII && $0.isHexDigit }
        if isHexadecimal, digits.count == 32 { return "uuid" }
        if isHexadecimal, digits.count == 12, !word.allSatisfy(\.isNumber) || word != digits { return "mac" }
        if isHexadecimal, digits.count >= 12, word == digits { return "digits" }
        if word.hasPrefix("dev_"), digits.count == 15 { return "mac" }
        if isAddress(word) { return "ip" }
        return isHostName(word) ? "host" : nil
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

    private static let plainEndings: Set = [
        "json", "md", "service", "sock", "socket", "sqlite", "conf", "js", "svg", "swift", "timer", "target",
    ]

    private static let plainPaths: Set = [
        "/etc/okaeri", Configuration.serviceFile, "/run/okaeri/okaeri.sock", "/run/okaeri", "/var/lib/okaeri",
        "/var/lib/okaeri/state.json", "/var/lib/okaeri/history.sqlite", "/usr/bin/okaeri", "/usr/local/bin/okaeri", "/",
    ]
}
