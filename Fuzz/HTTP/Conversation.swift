import OkaeriFuzzSupport
import HummingbirdCore
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1

@testable import OkaeriServer

/// One connection to a listener, without a network: the pipeline that the listener gives each connection, at a clock that is set
/// by hand.
struct Conversation {
    private static let logger = Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() }
    private static let executor = ManualExecutor()

    private let kind: ListenerKind
    private let loop = EmbeddedEventLoop()
    private let channel: EmbeddedChannel
    private let witness = Witness()
    private let task: Task<Void, Never>
    private let isOver = Flag()
    private(set) var answer: [UInt8] = []

    init(with kind: ListenerKind) {
        self.kind = kind
        channel = EmbeddedChannel(loop: loop)
        let connection = kind.listener.connection
        let (channel, isOver) = (channel, isOver)
        do {
            if let address = kind.client { channel.remoteAddress = address }
            let value = try connection.setup(channel: channel, logger: Self.logger).wait()
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(witness, position: .after(decoder))
            try channel.connect(to: SocketAddress(unixDomainSocketPath: "/")).wait()
            if let address = kind.client { channel.remoteAddress = address }
            task = Task(executorPreference: Self.executor) {
                await connection.handle(value: value, logger: Self.logger)
                isOver.isSet = true
            }
        } catch {
            fatalError("there is no connection: \(error)")
        }
        Self.executor.drain(loop)
    }

    mutating func send(_ bytes: ArraySlice<UInt8>) {
        guard channel.isActive else { return }
        channel.pipeline.fireChannelRead(ByteBuffer(bytes: bytes))
        channel.pipeline.fireChannelReadComplete()
        Self.executor.drain(loop)
        collect()
    }

    /// The client sends no more.
    mutating func hangUp() {
        guard channel.isActive else { return }
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        Self.executor.drain(loop)
        collect()
    }

    /// Time passes until the connection is closed; a stream of events is closed by the client.
    mutating func end() {
        // A wrong link is answered late; then a connection that asks nothing, or goes on asking nothing, closes.
        for seconds: Int64 in [1, 1, 31, 31] where channel.isActive { pass(seconds) }
        let isStream = String(decoding: answer.prefix(2000), as: UTF8.self).contains("text/event-stream")
        require(!channel.isActive || isStream, "a connection is left open without a request")
        channel.close(promise: nil)
        Self.executor.drain(loop)
        require(isOver.isSet, "the task of a closed connection goes on")
        _ = try? channel.finish(acceptAlreadyClosed: true)
        require(kind.connections.count == 0, "a closed connection is counted")
    }

    private mutating func pass(_ seconds: Int64) {
        loop.advanceTime(by: .seconds(seconds))
        Self.executor.drain(loop)
        collect()
    }

    private mutating func collect() {
        while let part = try? channel.readOutbound(as: ByteBuffer.self) { answer += part.readableBytesView }
    }

    func check(_ sent: [UInt8]) {
        let rules = AnswerRules(kind: kind, requests: witness.requests, sent: sent)
        rules.check(answer)
    }
}

/// Records which requests the decoder found.
private final class Witness: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private(set) var requests: [HTTPRequestHead] = []

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = unwrapInboundIn(data) { requests.append(head) }
        context.fireChannelRead(data)
    }
}

/// Set once, and read on the same thread.
private final class Flag: @unchecked Sendable {
    var isSet = false
}
