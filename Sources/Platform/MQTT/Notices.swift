import Plumbing

/// The dropped messages, as a sentence for the log once a minute at most: another client may send a million of them.
struct Notices: Sendable {
    private static let interval = Duration.seconds(60)

    private var refusedCount = 0
    private var largest = (topic: "", bytes: 0)
    private var lostCount = 0
    private var quietUntil: Int64?

    /// The time of the next sentence; `nil` if there is none.
    var due: Int64? { refusedCount + lostCount > 0 ? quietUntil : nil }

    mutating func refused(topic: String, bytes: Int) {
        refusedCount += 1
        if bytes >= largest.bytes { largest = (topic, bytes) }
    }

    mutating func next(at now: Int64, dropped outbox: inout Outbox) -> String? {
        lostCount += outbox.takeDropped()
        guard refusedCount + lostCount > 0, now >= quietUntil ?? now else { return nil }
        quietUntil = now.addingClamped(Self.interval.clampedNanoseconds)
        if refusedCount > 0 {
            defer { (refusedCount, largest) = (0, ("", 0)) }
            return
                "\(refusedCount) MQTT message(s) dropped: they are too large for Okaeri, the largest has \(largest.bytes) "
                + "bytes, on \(largest.topic.plain()); check which client publishes there"
        }
        defer { lostCount = 0 }
        return
            "\(lostCount) MQTT message(s) not sent: the broker accepts them too slowly, or was unreachable for too long; look "
            + "at its load and log"
    }
}
