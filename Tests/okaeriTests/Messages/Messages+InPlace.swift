import Foundation

/// The messages that are written where they are reported, as they stand in the source, with … for an interpolation.
extension Messages {
    static var inPlace: [Section] {
        let sources = URL(filePath: #filePath).appending(path: "../../../../Sources").standardized
        let folders = ["Daemon", "Platform", "Library", "Programs"].map { sources.appending(path: $0) }
        let files = folders.flatMap { folder in
            (FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.allObjects ?? [])
                .compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
        }
        return files.sorted { $0.lastPathComponent < $1.lastPathComponent }.compactMap { file in
            let messages = (try? String(contentsOf: file, encoding: .utf8)).map(reported) ?? []
            return messages.isEmpty ? nil : Section(file.lastPathComponent, messages)
        }
    }

    /// The calls that report a message.
    private static var calls: Regex<Substring> {
        #/(?:logger\.(?:warning|error)|printNotice|ValidationError|PageFailure|DaemonError|exchange\.(?:query|value)|\.failure)\(/#
    }

    private static func reported(in source: String) -> [String] {
        source.matches(of: calls).flatMap { literals(source[$0.range.upperBound...]) }
    }

    /// Returns the string literals up to the parenthesis that closes a call; those that `+` joins are one.
    private static func literals(_ source: Substring) -> [String] {
        var (literals, rest, depth, isJoined): ([String], Substring, Int, Bool) = ([], source, 1, false)
        while depth > 0, let character = rest.first {
            if character == "\"" {
                let literal: String
                (literal, rest) = self.literal(rest)
                if isJoined, let last = literals.popLast() {
                    literals.append(last + literal)
                } else {
                    literals.append(literal)
                }
                isJoined = false
                continue
            }
            if character == "+" { isJoined = true }
            depth += character == "(" || character == "{" ? 1 : character == ")" || character == "}" ? -1 : 0
            rest.removeFirst()
        }
        // Names of fields and the like are not sentences.
        return literals.map { $0.replacing("\\\"", with: "\"").replacing("\\n", with: " ") }
            .filter { $0.contains(#/[a-z] [a-z]/#) }
    }

    /// Returns the literal whose opening quote comes first, without its quotes, and the rest of the source.
    private static func literal(_ source: Substring) -> (text: String, rest: Substring) {
        var (text, rest, depth) = ("", source.dropFirst(), 0)
        while let character = rest.popFirst() {
            if depth > 0 {
                depth += character == "(" ? 1 : character == ")" ? -1 : 0
            } else if character == "\"" {
                break
            } else if character == "\\", let escaped = rest.popFirst() {
                text += escaped == "(" ? "…" : "\\\(escaped)"
                depth = escaped == "(" ? 1 : 0
            } else {
                text.append(character)
            }
        }
        return (text, rest)
    }
}
