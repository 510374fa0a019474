import FoundationEssentials
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import OkaeriEvents
import Synchronization

/// The answer of `GET /v1/events`, which lasts for as long as the client listens.
struct EventStream {
    let hub: EventHub
    let texts: EventTexts
    let heartbeat: Duration
    let connections: Connections

    /// A proxy between must neither pack nor collect the events: Home Assistant's packs other texts, and nginx collects all answers.
    private static let fields: HTTPFields = {
        var fields: HTTPFields = [
            .contentType: EventStreamField.contentType, .cacheControl: "no-store, no-transform",
        ]
        if let name = HTTPField.Name("X-Accel-Buffering") { fields[name] = "no" }
        return fields
    }()

    func response(to request: Request, _ channel: any Channel) -> Response {
        let last = HTTPField.Name(EventStreamField.lastEventID).flatMap { request.headers[$0] }.flatMap { UInt64($0) }
        return Response(
            status: .ok, headers: Self.fields,
            body: ResponseBody { writer in
                let (occasions, continuation) = AsyncStream.makeStream(
                    of: Occasion.self, bufferingPolicy: .bufferingNewest(1))
                let ending = Ending()
                connections.listens(channel) { ending.end(continuation) }
                // What the client missed is written first.
                continuation.yield(.event)
                var text = EventStreamText(after: last, latest: hub.notify(continuation, with: .event))
                // The answer begins at once, so that a listener knows it listens before anything happens.
                try await writer.write(ByteBuffer(string: text.beginning))
                connections.wait(channel)
                // By the loop and not by a task that sleeps: there may be hundreds of streams.
                let delay = TimeAmount(heartbeat)
                let beat = channel.eventLoop.scheduleRepeatedTask(initialDelay: delay, delay: delay) { _ in
                    continuation.yield(.heartbeat)
                }
                defer { beat.cancel() }
                // Handlers that end the stream, and no tasks: those would cost more memory than all the rest of it. A client
                // that hangs up ends it at once, not only when something happens.
                try? await request.body.consumeWithInboundCloseHandler { _ in
                    for await occasion in occasions {
                        var isQuiet = true
                        while !ending.isOver, let next = hub.next(after: text.last)?.sequence {
                            isQuiet = false
                            guard try await write(next, &text, until: ending, with: &writer, on: channel) else {
                                return
                            }
                        }
                        guard isQuiet, occasion == .heartbeat else { continue }
                        try await write(.init(string: EventStreamText.heartbeat), with: &writer, on: channel)
                    }
                } onInboundClosed: {
                    ending.end(continuation)
                }
                try await writer.finish(nil)
            })
    }

    /// Writes an event, before it how many were lost, and behind it the next ones that fit.
    ///
    /// - Returns: whether the stream can go on. It cannot if the client reads so slowly that the event was removed while a part
    ///   of it was already written. The client drops that part and asks again with the number of the last whole event.
    private func write(
        _ sequence: UInt64, _ text: inout EventStreamText, until ending: Ending,
        with writer: inout any ResponseBodyWriter, on channel: any Channel
    ) async throws -> Bool {
        var position = 0
        while !ending.isOver, let piece = await texts.piece(of: sequence, from: position) {
            if position == 0, let loss = text.loss(before: sequence) {
                try await write(ByteBuffer(string: loss), with: &writer, on: channel)
            }
            position += piece.text.readableBytes
            try await write(piece.text, with: &writer, on: channel)
            guard let last = piece.last else { continue }
            text.last = last
            return true
        }
        return position == 0
    }

    /// A client that does not read is not waited for longer than any other.
    private func write(
        _ text: ByteBuffer, with writer: inout any ResponseBodyWriter, on channel: any Channel
    ) async throws {
        connections.expect(channel)
        try await writer.write(text)
        connections.wait(channel)
    }

    /// The events that wake the stream.
    private enum Occasion {
        case event, heartbeat
    }

    /// Whether the client is to receive no more, not even what it missed.
    private final class Ending: Sendable {
        private let state = Atomic(false)

        var isOver: Bool { state.load(ordering: .relaxed) }

        func end(_ occasions: AsyncStream<Occasion>.Continuation) {
            state.store(true, ordering: .relaxed)
            occasions.finish()
        }
    }
}
