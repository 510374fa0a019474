/// An event of the desktop's notification server.
enum NotificationEvent: Sendable, Equatable {
    /// There is one: its capabilities in the terms of the Desktop Notifications Specification, and its unique name on the bus.
    case serverAppeared(capabilities: Set<String>, owner: String)
    /// It is gone, and so are its notifications.
    case serverVanished
    /// There is none; one that comes later appears.
    case noServer
    /// There is no session bus to find one on; that is tried again.
    case noBus
    /// A button of one of its notifications was pressed, ours or another program's.
    case actionInvoked(UInt32, key: String)
    /// A notification was closed, by the user or a program, or because its time was over.
    case closed(UInt32, isExpired: Bool)
}
