/// The text of a configuration without its commands and the addresses of its webhooks, for clients that may read the rest.
package struct CommandRedaction: Sendable {
    /// The replacement of each command. A configuration with it is refused, so that a copied text cannot replace the
    /// commands of the file.
    static let placeholder = "[\"(not/shown)\"]"

    /// The text, the same byte for byte but for the commands.
    package let text: String
    /// Whether the text lacks commands.
    package let isRedacted: Bool

    /// - Throws: the place where the text is not JSON, and commands cannot be recognized.
    package init(_ text: String, file: String) throws(ConfigurationError) {
        guard !text.isBlank else {
            (self.text, isRedacted) = (text, false)
            return
        }
        var bytes = Array(text.utf8)
        let commands = Self.commands(in: try JSONNode(json: bytes, file: file))
        for range in commands.reversed() { bytes.replaceSubrange(range, with: Self.placeholder.utf8) }
        (self.text, isRedacted) = (String(decoding: bytes, as: UTF8.self), !commands.isEmpty)
    }

    /// In the order of the text.
    private static func commands(in node: JSONNode) -> [Range<Int>] {
        switch node.value {
        case .null, .bool, .number, .string: []
        case .array(let elements): elements.flatMap(commands)
        case .object(let members):
            members.flatMap { Configuration.hiddenKeys.contains($0.key) ? [$0.node.range] : commands(in: $0.node) }
        }
    }
}
