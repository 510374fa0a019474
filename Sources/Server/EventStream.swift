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
    let hub: EventHub
    let heartbeat: Duration
    let connections: Connections

    func response(to request: Request, _ channel: any Channel) -> Response {
        let last = HTTPField.Name(EventStreamField.lastEventID).flatMap { request.headers[$0] }.flatMap { UInt64($0) }
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                var text = EventStreamText()
                let (items, continuation) = AsyncStream.makeStream(
                    of: EventStreamText.Item.self, bufferingPolicy: .bufferingNewest(EventHub.backlog))
                connections.listens(channel) { continuation.finish() }
                let missed = hub.events(after: last, into: continuation) { .event($0) }
                // The answer begins at once, so that a listener knows it listens before anything happens.
                let start = text.began(after: last, missed: missed, latest: hub.sequence)
                try await writer.write(ByteBuffer(string: start))
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
                    try await withGracefulShutdownHandler {
                        for await item in items {
                            // A client that does not read is not waited for.
                            connections.expect(channel)
                            try await writer.write(ByteBuffer(string: text.next(item)))
                            connections.wait(channel)
                        }
                    } onGracefulShutdown: {
                        continuation.finish()
                    }
                } onInboundClosed: {
                    continuation.finish()
                }
                try await writer.finish(nil)
            })
    }
}
