package import Events
import NIOCore

extension APIClient {
    /// An element of ``events(after:_:)``.
    package enum Feed: Sendable, Equatable {
        /// From now on nothing is missed.
        case opened
        case event(Event)
        /// Events were lost before the next one.
        case lost(EventLoss)
    }

    /// Hands out each event of `GET /v1/events` as it happens, until the daemon ends the stream or `received` is content.
    ///
    /// - Parameters:
    ///   - sequence: the number of the last event that was received before, to go on from; nil: from now on.
    ///   - received: returns whether to go on.
    package func events(
        after sequence: UInt64? = nil, _ received: (Feed) async throws(Failure) -> Bool
    ) async throws(Failure) {
        var reader = EventStreamReader()
        try await stream(after: sequence) { piece in
            guard let piece else { return try await received(.opened) }
            guard let feeds = try? reader.received(piece.readableBytesView) else {
                throw Failure.noAnswer(socket: socket, reason: "an event without end")
            }
            for feed in feeds { guard try await received(feed) else { return false } }
            return true
        }
    }
}
