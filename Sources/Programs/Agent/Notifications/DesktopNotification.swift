/// What a notification says.
struct DesktopNotification: Sendable, Equatable {
    /// A button: what it is told by, and what it says.
    struct Button: Sendable, Equatable {
        let key: String
        let label: String
    }

    /// One line of plain text.
    let summary: String

    /// Text, with markup if the server takes that.
    let body: String

    var buttons: [Button] = []

    /// Whether it stays until somebody closes it.
    var stays = false
}
