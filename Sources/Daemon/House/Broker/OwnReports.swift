import OkaeriPlumbing

/// The times of the messages about what this node's own radio receives.
struct OwnReports: Sendable {
    /// The time between two messages of a radio that receives something, and of one that receives nothing.
    private static let (interval, idleInterval) = (Nanoseconds.second, 5 * Nanoseconds.second)

    /// The time after which a sender is reported that was not there.
    private static let promptness: Int64 = 50_000_000

    /// The shortest time between two messages: any device can invent senders.
    private static let pause: Int64 = 200_000_000

    /// The time of the next message; `nil` while nothing is wanted.
    private(set) var nextDeadline: Int64?
    /// The time of the last message.
    private var last = Int64.min

    var isWanted: Bool { nextDeadline != nil }

    mutating func wantedChanged(_ isWanted: Bool, at now: Int64) { nextDeadline = isWanted ? now : nil }

    /// Handles that the radio has received a sender that was not there.
    mutating func senderFound(at now: Int64) {
        nextDeadline = nextDeadline.map {
            min($0, max(now.addingClamped(Self.promptness), last.addingClamped(Self.pause)))
        }
    }

    /// Handles a message.
    mutating func sent(at now: Int64) { last = now }

    /// Handles the passing of time.
    ///
    /// - Returns: Whether to collect what was received.
    mutating func advance(to now: Int64) -> Bool {
        guard let due = nextDeadline, due <= now else { return false }
        nextDeadline = now.addingClamped(Self.interval)
        return true
    }

    /// Whether a message is due though nothing was received.
    func isIdleMessageDue(at now: Int64) -> Bool {
        now.subtractingClamped(last) >= Self.idleInterval - Self.promptness
    }
}
