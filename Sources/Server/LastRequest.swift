import NIOCore
import NIOHTTP1

/// Ends the input of a connection behind a request after which swift-nio's decoder parses no further one: a CONNECT, one with an
/// Upgrade field, and one that it rejects.
///
/// From then on the decoder only collects bytes, without a limit. No protocol is offered here that they could belong to, so
/// they are dropped before they reach it (RFC 9110, 7.8: a server may ignore Upgrade).
final class LastRequest: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private let input: Input
    private var isLast = false

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
