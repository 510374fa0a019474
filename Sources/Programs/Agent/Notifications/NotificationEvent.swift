/// An event of the desktop's notification server.
enum NotificationEvent: Sendable, Equatable {
    /// There is one, and this is what it can do, in the words of the Desktop Notifications Specification.
    case serverAppeared(capabilities: Set<String>)
    /// It is gone, and so are its notifications.
    case serverVanished
    /// There is none; one that comes later appears.
    case noServer
    /// There is no session bus to find one on; that is tried again.
    case noBus
    /// A button of one of its notifications was pressed, ours or another program's.
    case actionInvoked(UInt32, key: String)
    /// A notification was closed, by the user or a program.
    case closed(UInt32)
}
