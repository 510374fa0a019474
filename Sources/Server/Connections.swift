import HummingbirdCore
package import NIOCore
import NIOHTTP1
import Synchronization

/// The connections that are open: few enough, none that keeps the daemon waiting for ever, and all closed at the end.
///
/// Hummingbird's own time-out is for clients that send nothing at all. One that sends a byte now and then, or that never
/// reads what it is answered, would hold a connection, and the daemon's end, for as long as it likes.
package final class Connections: Sendable {
    /// How much a client may take of the daemon.
    package struct Limits: Sendable {
        /// How many connections are open at the same time; the next ones wait in the kernel.
        package var connections: Int

        /// How long a client may take to ask, from its connection or the last answer on, and to read the answer.
        package var time: TimeAmount

        package init(connections: Int = 64, time: TimeAmount = .seconds(30)) {
            self.connections = connections
            self.time = time
        }
    }

    private struct Connection {
        let channel: any Channel
        var timeout: Scheduled<Void>?
        var end: (@Sendable () -> Void)?
        /// Whether the connection closes when its time is up, whatever the client sends until then.
        var isLast = false
    }

    /// How long what a client still sends is read after the last answer. A socket that closes earlier may take the answer
    /// with it (RFC 9112, 9.6).
    private static let lingering = TimeAmount.seconds(1)

    package let limits: Limits
    private let connections = Mutex<[ObjectIdentifier: Connection]>([:])

    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// How many are open.
    var count: Int { connections.withLock(\.count) }

    /// Somebody has connected, and is to ask something before the time is up.
    func opened(_ channel: any Channel) {
        connections.withLock { $0[ObjectIdentifier(channel)] = Connection(channel: channel) }
        channel.closeFuture.whenComplete { [weak self] _ in self?.closed(channel) }
        expect(channel)
    }

    /// Something is to happen before the time is up: a question, the end of an answer.
    func expect(_ channel: any Channel) { limit(channel, to: limits.time) }

    /// Nothing is expected of the client now: it listens to an answer that never ends.
    func wait(_ channel: any Channel) { limit(channel, to: nil) }

    /// The last answer was written: the connection closes soon.
    func linger(_ channel: any Channel) {
        limit(channel, to: Self.lingering)
        connections.withLock { $0[ObjectIdentifier(channel)]?.isLast = true }
    }

    /// The client begins to listen to an answer that goes on until `end` is called.
    func listens(_ channel: any Channel, end: @escaping @Sendable () -> Void) {
        connections.withLock { $0[ObjectIdentifier(channel)]?.end = end }
    }

    /// Ends what never ends by itself: who was let in before must ask again. In an orderly way, for a browser takes an
    /// answer that breaks off for a fault of the network.
    func endListening() {
        for connection in connections.withLock({ Array($0.values) }) { connection.end?() }
    }

    /// Closes them all, whatever they wait for.
    func close() {
        for connection in connections.withLock({ Array($0.values) }) { connection.channel.close(promise: nil) }
    }

    private func limit(_ channel: any Channel, to time: TimeAmount?) {
        let timeout = time.map { time in channel.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) } }
        let unneeded = connections.withLock { connections -> Scheduled<Void>? in
            guard let connection = connections[ObjectIdentifier(channel)], !connection.isLast else { return timeout }
            connections[ObjectIdentifier(channel)]?.timeout = timeout
            return connection.timeout
        }
        unneeded?.cancel()
    }

    private func closed(_ channel: any Channel) {
        connections.withLock { $0.removeValue(forKey: ObjectIdentifier(channel)) }?.timeout?.cancel()
    }
}

/// Reports new connections, and limits what each can have the daemon hold.
final class ConnectionWatch: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Never

    private let connections: Connections

    init(_ connections: Connections) {
        self.connections = connections
    }

    /// How much is read at once. Of a request that is not read ten parts of this size wait at most; swift-nio's own buffers grow
    /// to 64 KiB.
    private static let readSize = 4096

    func handlerAdded(context: ChannelHandlerContext) {
        connections.opened(context.channel)
        do {
            let pipeline = context.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(AbsoluteTarget(), position: .after(decoder))
            try context.channel.syncOptions?.setOption(
                .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: Self.readSize))
        } catch {
            context.close(promise: nil)
        }
    }
}
