import HummingbirdCore
package import NIOCore
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
    }

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
        let old = connections.withLock { connections in
            defer { connections[ObjectIdentifier(channel)]?.timeout = timeout }
            return connections[ObjectIdentifier(channel)]?.timeout
        }
        old?.cancel()
    }

    private func closed(_ channel: any Channel) {
        connections.withLock { $0.removeValue(forKey: ObjectIdentifier(channel)) }?.timeout?.cancel()
    }
}

/// Says that a connection has been opened.
final class ConnectionWatch: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Never

    private let connections: Connections

    init(_ connections: Connections) {
        self.connections = connections
    }

    func handlerAdded(context: ChannelHandlerContext) { connections.opened(context.channel) }
}
