/// Why a configuration does not load: every mistake in it, each with its place.
public struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// One mistake.
    public struct Problem: Sendable, Equatable, CustomStringConvertible {
        /// Where: `regions[1].uuid`, or `line 3, column 7` where the text is no JSON.
        public var place: String
        /// What stands there.
        public var found: String
        /// What should stand there.
        public var expected: String
        /// What was probably meant.
        public var suggestion: String?

        public var description: String {
            "\(place): found \(found), expected \(expected)" + (suggestion.map { "; did you mean \"\($0)\"?" } ?? "")
        }
    }

    /// The file, as it was named.
    public var file: String

    public var problems: [Problem]

    /// A line for each mistake: the file, the place, what was found, what is expected, the nearest known key.
    public var description: String {
        problems.map { "\(file): \($0)" }.joined(separator: "\n")
    }
}
