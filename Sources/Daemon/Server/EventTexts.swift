import NIOCore
import OkaeriEvents

/// The texts of the latest events, encoded once for all event streams of a listener.
///
/// A stream fetches a text piece by piece and holds one piece at a time. So a client that does not read has the daemon hold
/// one piece for it, and not an event with thousands of beacons.
actor EventTexts {
    /// A part of an event's text, or the texts of some events.
    struct Piece: Equatable {
        var text: ByteBuffer
        /// The number of the last event whose end is in it; `nil` if the event goes on.
        let last: UInt64?
    }

    /// The maximum number of texts, and of their bytes together, which only a single text exceeds.
    private static let capacity = (texts: 64, bytes: 1 << 20)

    private let hub: EventHub
    private let encode: @Sendable (Event) -> String
    private var texts: [(sequence: UInt64, text: ByteBuffer)] = []
    private var size = 0

    init(_ hub: EventHub, encode: @escaping @Sendable (Event) -> String = EventStreamText.text) {
        self.hub = hub
        self.encode = encode
    }

    /// Returns the part of an event's text that begins at a position, or `nil` if the event is not kept any more. The texts of the events
    /// that follow it are added as far as they fit: a part is a call to the kernel.
    func piece(of sequence: UInt64, from position: Int) -> Piece? {
        guard let text = text(of: sequence) else { return nil }
        let count = min(PieceWriter.size, text.readableBytes - position)
        // A slice would keep the whole text in memory.
        guard let bytes = text.viewBytes(at: text.readerIndex + position, length: count) else { return nil }
        var piece = ByteBuffer(bytes: bytes)
        guard position + count == text.readableBytes else { return Piece(text: piece, last: nil) }
        var last = sequence
        while piece.readableBytes < PieceWriter.size, let next = self.text(of: last + 1),
            piece.readableBytes + next.readableBytes <= PieceWriter.size
        {
            piece.writeImmutableBuffer(next)
            last += 1
        }
        return Piece(text: piece, last: last)
    }

    private func text(of sequence: UInt64) -> ByteBuffer? {
        if let known = texts.last(where: { $0.sequence == sequence }) { return known.text }
        guard let event = hub.next(after: sequence - 1), event.sequence == sequence else { return nil }
        let text = ByteBuffer(string: encode(event))
        texts.append((sequence, text))
        size += text.readableBytes
        while texts.count > Self.capacity.texts || size > Self.capacity.bytes && texts.count > 1 {
            size -= texts.removeFirst().text.readableBytes
        }
        return text
    }
}
