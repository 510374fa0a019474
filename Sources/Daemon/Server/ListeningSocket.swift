import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import Synchronization

/// A listening socket and its connections: performs the actions of ``ListenerStateMachine``.
///
/// NIO's own socket, and not a channel of connections as Hummingbird's `Server` has: that traps if it closes while a
/// connection waits in it (swift-nio, issue 2637). Here a connection is served by a task from the moment it is accepted.
final class ListeningSocket: Sendable {
    /// The time between the stop and closing the socket, in which requests on accepted connections arrive.
    private static let gracePeriod = TimeAmount.milliseconds(100)

    /// The time limit of handlers whose connection is closed. One that waits for the disk must not delay the daemon's end.
    private static let closeTimeout = TimeAmount.seconds(1)

    /// The maximum number of connections that the kernel keeps until they are accepted.
    private static let backlog: Int32 = 1024

    /// The number of connections that may end while as many as ``Connections`` permits are open.
    private static let surplus = 32

    /// The error of a socket that closes without a request to stop.
    struct Closed: Error, CustomStringConvertible {
        var description: String { "the system has closed the socket" }
    }

    private struct Guarded {
        var machine: ListenerStateMachine
        var socket: (any Channel)?
    }

    private let guarded: Mutex<Guarded>
    private let loop: any EventLoop
    private let ended: EventLoopPromise<Void>
    private let connections: Connections
    private let opened: @Sendable () -> Void
    private let closing: @Sendable () -> Void

    init(
        _ connections: Connections, on loop: any EventLoop, opened: @escaping @Sendable () -> Void,
        closing: @escaping @Sendable () -> Void
    ) {
        guarded = Mutex(Guarded(machine: .init(limit: connections.limits.connections + Self.surplus)))
        self.loop = loop
        ended = loop.makePromise()
        self.connections = connections
        self.opened = opened
        self.closing = closing
    }

    /// Serves connections until a stop is requested, also in a task that is cancelled.
    ///
    /// - Throws: An error if it cannot listen at the address, or the socket fails.
    func serve(_ connection: HTTP1Channel, at address: SocketAddress, logger: Logger) async throws {
        let bootstrap = ServerBootstrap(group: loop)
            .serverChannelOption(.backlog, value: Self.backlog)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                connection.setup(channel: channel, logger: logger).map { value in
                    self.perform { $0.machine.connectionAccepted() }
                    Task {
                        await connection.handle(value: value, logger: logger)
                        self.perform { $0.machine.connectionEnded() }
                    }
                }
            }
        do {
            let socket = try await bootstrap.bind(to: address).get()
            socket.closeFuture.whenComplete { _ in self.perform { $0.machine.socketClosed() } }
            perform { guarded in
                guarded.socket = socket
                return guarded.machine.bindingSucceeded()
            }
        } catch {
            guarded.withLock { $0.machine.bindingFailed() }
            ended.fail(error)
        }
        try await ended.futureResult.get()
    }

    /// Ends ``serve(_:at:logger:)``.
    func stop() { perform { $0.machine.stopRequested() } }

    private func perform(_ event: (inout Guarded) -> ListenerStateMachine.Action) {
        let (action, socket) = guarded.withLock { (event(&$0), $0.socket) }
        switch action {
        case .none: break
        case .reportOpen: opened()
        case .beginShutdown:
            closing()
            after(Self.gracePeriod) { $0.machine.gracePeriodEnded() }
        case .closeSocket: socket?.close(promise: nil)
        case .drain:
            connections.drain()
            after(connections.limits.drain) { $0.machine.drainTimeoutEnded() }
        case .closeConnections:
            connections.close()
            after(Self.closeTimeout) { $0.machine.closeTimeoutEnded() }
        case .updateAccepting:
            // By the state as it is then: two threads may come here in another order than they decided.
            loop.execute { [self] in
                _ = socket?.setOption(.autoRead, value: guarded.withLock(\.machine.acceptsConnections))
            }
        case .end(isFailure: false): ended.succeed()
        case .end(isFailure: true): ended.fail(Closed())
        }
    }

    private func after(
        _ time: TimeAmount, _ event: @escaping @Sendable (inout Guarded) -> ListenerStateMachine.Action
    ) {
        loop.scheduleTask(in: time) { self.perform(event) }
    }
}
