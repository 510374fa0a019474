import FoundationEssentials

/// The notifications that an agent has on the screen, in a file of the session, so that the next agent removes those of one that was
/// killed.
struct QuestionsOnScreen: Sendable {
    private struct Content: Codable {
        /// The unique name of the notification server: another one has other notifications.
        var server: String
        var notifications: [UInt32]
    }

    /// The number of notifications that are read.
    private static let limit = 16

    private let path: String?

    /// - Parameter directory: The directory of the user's session, `$XDG_RUNTIME_DIR`, which no other user can write; `nil` for none.
    init(directory: String?) { path = directory.map { "\($0)/okaeri-agent.json" } }

    func store(_ notifications: [UInt32], on server: String) {
        guard let path, let data = try? JSONEncoder().encode(Content(server: server, notifications: notifications))
        else {
            return
        }
        try? data.write(to: URL(filePath: path), options: .atomic)
    }

    /// Returns the notifications of an earlier agent on that server.
    func ofEarlierAgent(on server: String) -> [UInt32] {
        guard let path, let data = try? Data(contentsOf: URL(filePath: path)),
            let content = try? JSONDecoder().decode(Content.self, from: data), content.server == server
        else { return [] }
        return Array(content.notifications.prefix(Self.limit))
    }
}
