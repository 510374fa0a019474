import API
import Events
import FoundationEssentials
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import ServiceLifecycle

/// The answer of `GET /v1/events`, which lasts for as long as the client listens.
struct EventStream {
    let backend: any APIBackend
    let heartbeat: Duration
    let connections: Connections

    func response(to request: Request, _ channel: any Channel) -> Response {
        let last = HTTPField.Name(EventStreamField.lastEventID).flatMap { request.headers[$0] }.flatMap { UInt64($0) }
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                var text = EventStreamText()
                let (missed, events) = backend.events(after: last)
                // The answer begins at once, so that a listener knows it listens before anything happens.
                let start = text.began(after: last, missed: missed, latest: backend.latestEvent)
                try await writer.write(ByteBuffer(string: start))
                connections.wait(channel)
                // A client that hangs up ends it at once, not only when something happens.
                try? await request.body.consumeWithCancellationOnInboundClose { _ in
                    try await Self.follow(events, heartbeat: heartbeat, on: channel.eventLoop) { item in
                        // A client that does not read is not waited for.
                        connections.expect(channel)
                        try await writer.write(ByteBuffer(string: text.next(item)))
                        connections.wait(channel)
                    }
                }
                try await writer.finish(nil)
            })
    }

    /// Hands out each event, and a heartbeat from time to time, until the events end, the task is cancelled or the daemon stops.
    private static func follow(
        _ events: AsyncStream<Event>, heartbeat: Duration, on eventLoop: any EventLoop,
        _ write: (EventStreamText.Item) async throws -> Void
    ) async throws {
        let (items, continuation) = AsyncStream.makeStream(
            of: EventStreamText.Item.self, bufferingPolicy: .bufferingNewest(EventHub.backlog))
        // By the loop and not by a task that sleeps: there may be hundreds of streams.
        let beat = eventLoop.scheduleRepeatedTask(initialDelay: .init(heartbeat), delay: .init(heartbeat)) { _ in
            continuation.yield(.heartbeat)
        }
        defer { beat.cancel() }
        // The daemon's end finishes the stream: a handler costs less memory than a sequence that is merged with the end.
        try await withGracefulShutdownHandler {
            try await withThrowingTaskGroup(of: Void.self) { group in
                defer { group.cancelAll() }
                group.addTask {
                    for await event in events { continuation.yield(.event(event)) }
                    continuation.finish()
                }
                for await item in items { try await write(item) }
            }
        } onGracefulShutdown: {
            continuation.finish()
        }
    }
}
