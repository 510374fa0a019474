import OkaeriPlumbing

/// The mistakes in a configuration that does not load, each with its place.
package struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
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
        /// The name of the region at that place, and its line, such as `region "home", line 12`.
        package var region: String?

        /// Escaped: a key and a value are shown as they stand in a file that may come from anywhere.
        package var description: String {
            ("\(place): found \(found), expected \(expected)" + (suggestion.map { "; did you mean \"\($0)\"?" } ?? ""))
                .escapedName
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

    /// A line for each mistake: the file, the place, what was found, what is expected, the nearest known key, the region.
    package var description: String {
        problems.map { problem in
            problem.place == Self.wholeFile
                ? "cannot read \(file): \(problem.found); \(problem.expected)".escapedName
                : "\(file): \(problem)" + (problem.region.map { " (\($0.escapedName))" } ?? "")
        }.joined(separator: "\n")
    }
}

extension ConfigurationError {
    /// One mistake.
    package init(file: String, place: String, found: String, expected: String) {
        self.init(file: file, problems: [Problem(place: place, found: found, expected: expected)])
    }
}
