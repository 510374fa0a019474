/// The content of a notification.
struct DesktopNotification: Sendable, Equatable {
    /// A button: its key, and its label.
    struct Button: Sendable, Equatable {
        let key: String
        let label: String
    }

    /// One line of plain text.
    let summary: String

    /// Text, with markup if the server takes that.
    let body: String

    var buttons: [Button] = []

    /// Whether it stays until the user closes it.
    var stays = false
}
