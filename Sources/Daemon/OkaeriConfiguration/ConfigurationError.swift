package import OkaeriEvents
import OkaeriPlumbing

/// The mistakes in a configuration that does not load, each with its place.
package struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible, LocalizedFailure {
    /// One mistake.
    package struct Problem: Sendable, Equatable, CustomStringConvertible {
        /// The place: `regions[1].uuid`, or `line 3, column 7` if the text is not JSON.
        package var place: String
        /// The value at that place.
        package var found: String
        /// The expected value.
        package var expected: String
        /// The probably intended key or value.
        package var suggestion: String?
        /// The region at that place.
        package var region: RegionPlace?

        package var description: String { sentence(in: .english) }

        /// Returns the mistake. It is escaped: a key and a value are shown as they stand in a file that may come from anywhere.
        fileprivate func sentence(in language: Language) -> String {
            let (place, expected) = (language.place(place), language.value(expected))
            let text =
                found == ValuePhrase.nothing.rawValue
                ? language(FailurePhrase.noValue, place, expected)
                : language(FailurePhrase.value, place, language.found(found), expected)
            return (suggestion.map { language(FailurePhrase.suggestion, text, $0) } ?? text).escapedName
        }
    }

    /// The file, as it was named.
    package var file: String

    package var problems: [Problem]

    /// The place of a mistake where there is no file at all.
    static let absence = "no configuration"

    /// The place of a mistake that concerns the whole file: it is not read.
    static let wholeFile = "the file"

    /// Whether there is no file, and none was named.
    package var isAbsent: Bool { problems.contains { $0.place == Self.absence } }

    /// Whether the file cannot be read.
    package var isOfWholeFile: Bool { problems.contains { $0.place == Self.wholeFile } }

    /// A line for each mistake: the file, the place, what was found, what is expected, the nearest known key, the region.
    package var description: String { sentence(in: .english) }

    package func sentence(in language: Language) -> String {
        problems.map { sentence($0, language) }.joined(separator: "\n")
    }

    private func sentence(_ problem: Problem, _ language: Language) -> String {
        switch problem.place {
        case Self.wholeFile:
            language(
                FailurePhrase.unreadableFile, file, language.found(problem.found), language.value(problem.expected)
            )
            .escapedName
        case Self.absence: language(FailurePhrase.noConfiguration, file, problem.found)
        default:
            file + (language == .english ? ": " : "：") + problem.sentence(in: language)
                + (problem.region.map { language(FailurePhrase.inBrackets, $0.text(in: language).escapedName) } ?? "")
        }
    }
}

extension ConfigurationError {
    /// One mistake.
    package init(file: String, place: String, found: String, expected: String) {
        self.init(file: file, problems: [Problem(place: place, found: found, expected: expected)])
    }
}

extension ConfigurationError {
    /// The region of a mistake, which the path of its key only numbers.
    package struct RegionPlace: Sendable, Equatable {
        /// The name in quotation marks; `nil` if the region has no name.
        var name: String?
        /// The line of the mistake; `nil` if it is not known.
        var line: Int?

        func text(in language: Language) -> String {
            let name = name.map { language(FailurePhrase.region, $0) }
            return language.list([name, line.map { language(FailurePhrase.line, "\($0)") }].compactMap(\.self))
        }
    }
}

extension Language {
    /// Returns a place in a file: `line 3, column 7` in the language, and a path such as `regions[1].uuid` as it is.
    fileprivate func place(_ place: String) -> String {
        let words = place.split(separator: " ")
        guard words.first == "line", words.count > 1, let line = Int(words[1].filter { $0 != "," }) else {
            return place
        }
        guard words.count == 4, let column = Int(words[3]) else { return self(FailurePhrase.line, "\(line)") }
        return self(FailurePhrase.lineAndColumn, "\(line)", "\(column)")
    }
}
