import NIOCore
import NIOHTTP1

/// Ends the input of a connection behind a request after which swift-nio's decoder parses no further one: a CONNECT, one with an
/// Upgrade field, and one that it rejects.
///
/// From then on the decoder only collects bytes, without a limit. No protocol is offered here that they could belong to, so
/// they are dropped before they reach it (RFC 9110, 7.8: a server may ignore Upgrade).
///
/// Also ends the input, and the output, behind an answer with `Connection: close` (RFC 9112, 9.6). The decoder may have found a
/// fault in what follows the request already, which Hummingbird would answer.
final class LastRequest: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private enum Output {
        case open
        /// The last answer is being written.
        case last
        case over
    }

    private let input: Input
    private var isLast = false
    private var output = Output.open

    init(input: Input) {
        self.input = input
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): isLast = head.method == .CONNECT || head.headers.contains(name: "upgrade")
        case .body: break
        case .end: if isLast { input.end() }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch (output, unwrapOutboundIn(data)) {
        case (.over, _):
            promise?.succeed()
            return
        case (.open, .head(let head)):
            if head.headers["connection"].contains(where: { $0.lowercased() == "close" }) { output = .last }
        case (.last, .end):
            output = .over
            input.end()
        case (.open, _), (.last, _): break
        }
        context.write(data, promise: promise)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        input.end()
        context.fireErrorCaught(error)
    }

    /// The bytes of the client, which stands before the decoder.
    final class Input: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = ByteBuffer
        typealias InboundOut = ByteBuffer

        private var isOver = false

        /// Drops what is received from now on.
        func end() { isOver = true }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            if !isOver { context.fireChannelRead(data) }
        }
    }
}
