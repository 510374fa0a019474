import HTTPTypes
import Hummingbird
import IBeacon
import NIOCore
import OkaeriTestSupport
import RegionMonitoring
import Synchronization
import Testing

@testable import OkaeriEvents
@testable import OkaeriServer

/// The memory that the daemon holds for a connection that does not read.
@Suite struct PieceTests {
    private let hub = EventHub(node: "pi")

    @Test func `a long body is written in pieces, which keep nothing of each other in memory`() async throws {
        let body = ByteBuffer(bytes: (0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
        let taken = Taken()
        try await PieceWriter.split(ResponseBody(byteBuffer: body)).write(Writer(taken: taken))
        #expect(taken.pieces.count == 7 && taken.pieces.allSatisfy { $0.capacity <= PieceWriter.size })
        #expect(taken.pieces.flatMap { Array($0.readableBytesView) } == Array(body.readableBytesView))
        #expect(taken.isFinished)
        #expect(PieceWriter.split(ResponseBody(byteBuffer: body)).contentLength == 100_000)
    }

    @Test func `an event's text is encoded once for all streams, and written in pieces`() async throws {
        let identity = BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 3, minor: 4)
        let crowd = (0..<2048).map { RangedBeacon(identity: identity, rssi: -$0 % 100, accuracy: 1) }
        hub.happened(.didRangeBeacons(region: "home", crowd), at: evening)
        let count = Mutex(0)
        let texts = EventTexts(hub) { event in
            count.withLock { $0 += 1 }
            return EventStreamText.text(of: event)
        }
        var (text, isOver) = (ByteBuffer(), false)
        for _ in 0..<3 {
            (text, isOver) = (ByteBuffer(), false)
            while !isOver {
                var piece = try #require(await texts.piece(of: 1, from: text.readableBytes))
                #expect(piece.text.readableBytes > 0 && piece.text.capacity <= PieceWriter.size)
                text.writeBuffer(&piece.text)
                isOver = piece.last != nil
            }
        }
        let event = try #require(hub.next(after: 0))
        #expect(String(buffer: text) == "id: 1\nevent: didRangeBeacons\ndata: \(event.json)\n\n")
        #expect(count.withLock { $0 } == 1)
    }

    @Test func `texts are kept within a limit, and an event that is gone has none`() async throws {
        let count = Mutex(0)
        let texts = EventTexts(hub) { event in
            count.withLock { $0 += 1 }
            return EventStreamText.text(of: event) + String(repeating: "x", count: 300_000)
        }
        let crowd = [RangedBeacon](
            repeating: .init(identity: .init(uuid: .init(high: 1, low: 2), major: 3, minor: 4), rssi: -60, accuracy: 1),
            count: EventHub.backlog)
        for _ in 0..<100 { hub.happened(.didRangeBeacons(region: "home", crowd), at: evening) }
        #expect(await texts.piece(of: 1, from: 0) == nil)
        for sequence: UInt64 in [97, 98, 99, 100, 100, 99, 97, 100] {
            #expect(await texts.piece(of: sequence, from: 0) != nil)
        }
        // Two of these texts are kept at a time.
        #expect(count.withLock { $0 } == 5)
    }

    @Test func `the texts of events that fit are one piece`() async throws {
        for number in 0..<40 { hub.happened(.didExitRegion(region: "door \(number)"), at: evening) }
        let texts = EventTexts(hub)
        let first = try #require(await texts.piece(of: 3, from: 0))
        #expect(first.last == 40)
        let events = (2..<40).compactMap { hub.next(after: $0) }
        #expect(String(buffer: first.text) == events.map(EventStreamText.text).joined())
        // Those that do not fit follow with the next piece, and a long one with pieces of its own.
        let identity = BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 3, minor: 4)
        let crowd = (0..<512).map { RangedBeacon(identity: identity, rssi: -$0 % 100, accuracy: 1) }
        hub.happened(.didRangeBeacons(region: "hall", crowd), at: evening)
        hub.happened(.didExitRegion(region: "hall"), at: evening)
        #expect(await texts.piece(of: 40, from: 0)?.last == 40)
        #expect(await texts.piece(of: 41, from: 0)?.last == nil)
    }

    private final class Taken: Sendable {
        private let state = Mutex<(pieces: [ByteBuffer], isFinished: Bool)>(([], false))

        var pieces: [ByteBuffer] { state.withLock(\.pieces) }
        var isFinished: Bool { state.withLock(\.isFinished) }

        func take(_ buffer: ByteBuffer) { state.withLock { $0.pieces.append(buffer) } }
        func finish() { state.withLock { $0.isFinished = true } }
    }

    private struct Writer: ResponseBodyWriter {
        let taken: Taken

        mutating func write(_ buffer: ByteBuffer) async throws { taken.take(buffer) }
        consuming func finish(_ trailingHeaders: HTTPFields?) async throws { taken.finish() }
    }
}
