import OkaeriPlumbing

/// A catalogue of texts. Each case is a text in each language, with `{0}` to `{9}` in the places of its values; in English, `{0 region}` is a
/// number and its noun.
///
/// Texts of a new feature belong here, not in conditions on the language: the tests compare the languages of each catalogue.
package protocol Phrase: CaseIterable, Sendable {
    /// The text in English and in Japanese.
    var texts: (english: String, japanese: String) { get }
}

/// A text in each language, such as a failure with its values.
package struct LocalizedText: LocalizedFailure, Sendable, Equatable {
    package let english, japanese: String

    /// - Parameter japanese: The same in Japanese; `nil` if it has no translation.
    package init(_ english: String, japanese: String? = nil) {
        (self.english, self.japanese) = (english, japanese ?? english)
    }

    package init(_ phrase: some Phrase, _ values: [String]) {
        self.init(Language.english(phrase, values), japanese: Language.japanese(phrase, values))
    }

    package init(_ phrase: some Phrase, _ values: String...) { self.init(phrase, values) }

    package init(_ failure: some LocalizedFailure) {
        self.init(failure.sentence(in: .english), japanese: failure.sentence(in: .japanese))
    }

    package func sentence(in language: Language) -> String { language == .english ? english : japanese }
}

extension LocalizedText: Codable {
    /// The key of the language in which an encoder writes texts; without it, they are English.
    package static let languageKey = CodingUserInfoKey(rawValue: "language")

    package init(from decoder: any Decoder) throws { self.init(try decoder.singleValueContainer().decode(String.self)) }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        let language = Self.languageKey.flatMap { encoder.userInfo[$0] as? Language } ?? .english
        try container.encode(sentence(in: language))
    }
}

extension Language {
    /// Returns a text of a catalogue with its values.
    package func callAsFunction(_ phrase: some Phrase, _ values: String...) -> String { self(phrase, values) }

    package func callAsFunction(_ phrase: some Phrase, _ values: [String]) -> String {
        let texts = phrase.texts
        return switch self {
        case .english: texts.english.filled(with: values)
        case .japanese: texts.japanese.filled(with: values)
        }
    }

    /// Returns the names of a list, with the comma of the language.
    package func list(_ names: [String]) -> String { names.joined(separator: self == .english ? ", " : "、") }

    /// Returns the sentences, with the space between them that the language has.
    package func sentences(_ sentences: [String]) -> String {
        sentences.joined(separator: self == .english ? " " : "")
    }

    /// Returns a text as a sentence that ends.
    package func sentence(_ text: LocalizedText) -> String { text.sentence(in: self) + (self == .english ? "." : "。") }

    /// Returns the parts of a sentence, as independent as a semicolon separates them.
    package func parts(_ parts: [String]) -> String { parts.joined(separator: self == .english ? "; " : "。") }

    /// Returns a label of a column that ends at `width` columns of a terminal.
    package func column(_ text: String, width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.displayWidth))
    }
}

extension String {
    /// The text with the values in the places of `{0}` to `{9}`; `{0 region}` is a number and its noun. Braces in a value stay as they are.
    func filled(with values: [String]) -> String {
        var (text, rest) = ("", self[...])
        while let brace = rest.firstIndex(of: "{") {
            text += rest[..<brace]
            let place = rest[brace...].prefix { $0 != "}" }.dropFirst()
            let (number, noun) = (place.prefix(1), place.dropFirst(2))
            if let number = number.first?.wholeNumberValue, values.indices.contains(number),
                place.endIndex < rest.endIndex, place.count == 1 || place.dropFirst().first == " "
            {
                text += noun.isEmpty ? values[number] : "\(values[number]) \(noun)\(values[number] == "1" ? "" : "s")"
                rest = rest[place.endIndex...].dropFirst()
            } else {
                text += "{"
                rest = rest[rest.index(after: brace)...]
            }
        }
        return text + rest
    }
}
