import Plumbing

/// The limit of a radio's messages, of whatever content: ten a second, and fifty at once behind a link that stood still. Others are lost:
/// a client with the rights of one node is not to fill the hub's time.
struct HeardAdmission: Sendable {
    static let burst: Int64 = 50
    private static let pause = Nanoseconds.second / 10

    /// The time at which the next message would be due if the messages came as often as they may.
    private var due = Int64.min

    /// Returns whether a message is to be read.
    mutating func admits(at now: Int64) -> Bool {
        let next = max(due, now)
        guard next.subtractingClamped(now) < Self.burst * Self.pause else { return false }
        due = next.addingClamped(Self.pause)
        return true
    }
}
