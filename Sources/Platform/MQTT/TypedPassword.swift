/// A password of the broker that a user typed. It is never printed: its description has nothing of it.
package struct TypedPassword: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    /// The maximum length of a password, in bytes.
    package static let limit = 1024

    /// The password, for the connection and for its file.
    package let text: String

    /// - Returns: `nil` for an empty text, a longer one, and one with control characters.
    package init?(_ text: String) {
        guard 1...Self.limit ~= text.utf8.count, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
        self.text = text
    }

    package var description: String { "(not shown)" }

    package var customMirror: Mirror { Mirror(self, children: []) }
}
