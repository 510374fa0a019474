import FoundationEssentials
import NIOCore

extension APIClient {
    /// An event of the stream, as far as somebody who waits for prompts reads it.
    public struct StreamedEvent: Decodable, Sendable, Equatable {
        /// CoreLocation's name, such as `didEnterRegion`.
        public var event: String
        /// The prompt's number.
        public var id: String?
        public var ssid: String?
        /// Why something failed, in a word for programs.
        public var code: String?
        /// Why something failed.
        public var reason: String?
    }

    /// What ``events(_:)`` tells.
    public enum Feed: Sendable, Equatable {
        /// From now on nothing is missed.
        case opened
        case event(StreamedEvent)
    }

    /// No event of ours is longer, in bytes.
    private static let longestEvent = 1 << 20

    /// Hands out each event of `GET /v1/events` as it happens, until the daemon ends the stream.
    public func events(_ tell: @Sendable (Feed) async -> Void) async throws(Failure) {
        var lines = ByteBuffer()
        try await stream { piece in
            guard var piece else {
                await tell(.opened)
                return true
            }
            lines.writeBuffer(&piece)
            while let line = lines.readLine() {
                // Each event is one line of JSON here (HTML Living Standard, 9.2.6).
                guard line.hasPrefix("data:") else { continue }
                let event = try? JSONDecoder().decode(StreamedEvent.self, from: Data(line.dropFirst(5).utf8))
                if let event { await tell(.event(event)) }
            }
            lines.discardReadBytes()
            guard lines.readableBytes <= Self.longestEvent else {
                throw Failure.noAnswer(socket: socket, reason: "an event without end")
            }
            return true
        }
    }
}

extension ByteBuffer {
    /// The text up to the next line break, without it.
    fileprivate mutating func readLine() -> String? {
        guard let end = readableBytesView.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let line = readString(length: end - readerIndex)
        moveReaderIndex(forwardBy: 1)
        return line
    }
}
