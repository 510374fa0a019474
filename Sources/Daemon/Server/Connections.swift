import HTTPTypes
import Hummingbird
import HummingbirdCore
package import NIOCore
import OkaeriEvents
import NIOHTTP1
import Synchronization

/// The connections that are open: few enough, none that keeps the daemon waiting for ever, and all closed at the end.
///
/// A connection too many displaces the one without a login that was idle for longest, so that no client keeps others out by
/// connections that it holds. Those of one address displace each other first; behind the proxy of Home Assistant, those of one
/// user. On the Unix socket event streams are not
/// displaced.
///
/// Hummingbird's own time-out is for clients that send nothing at all. One that sends a byte now and then, or that never
/// reads what it is answered, would hold a connection, and the daemon's end, for as long as it likes.
package final class Connections: Sendable {
    /// The bounds of a client's use of the daemon.
    package struct Limits: Sendable {
        /// The maximum number of open connections.
        package var connections: Int

        /// The maximum number of open connections from one address, and for one user behind the proxy of Home Assistant.
        package var perAddress: Int

        /// The time limit of a client's request, from its connection or the last answer on, and of its reading the
        /// answer.
        package var time: TimeAmount

        /// The time limit of answers that are being written when the daemon stops. A client that does not read must not delay
        /// its end.
        package var drain: TimeAmount

        /// - Parameter perAddress: a quarter of all connections by default.
        package init(
            connections: Int = 64, perAddress: Int? = nil, time: TimeAmount = .seconds(30),
            drain: TimeAmount = .seconds(1)
        ) {
            self.connections = connections
            self.perAddress = perAddress ?? max(1, connections / 4)
            self.time = time
            self.drain = drain
        }
    }

    private struct Connection {
        let channel: any Channel
        let address: ClientAddress?
        /// The last time at which a request, an answer or a part of one began or ended.
        var active = NIODeadline.now()
        /// Whether the latest request carried a valid cookie.
        var hasLogin = false
        /// The identifier of the user whose request the proxy has passed on last; `nil`: none.
        var user: String?
        var timeout: Scheduled<Void>?
        var end: (@Sendable () -> Void)?
        /// The session whose browser receives a long answer.
        var receiver: String?
        /// Whether the connection closes when its time is up, whatever the client sends until then.
        var isLast = false

        /// Whether no new connection displaces it. On the Unix socket, where no client has an address or a login, that holds
        /// for the event streams, so that a flood does not end those of other clients.
        var isProtected: Bool { hasLogin || address == nil && end != nil }
    }

    /// The time for which the rest of a request is read after the last answer. A socket that closes earlier may take
    /// the answer with it (RFC 9112, 9.6).
    private static let lingering = TimeAmount.seconds(1)

    package let limits: Limits
    /// The memory of their large answers.
    package let memory: ResponseMemory
    private let isValid: @Sendable (String) -> Bool
    private let connections = Mutex<[ObjectIdentifier: Connection]>([:])

    /// - Parameter isValid: Returns whether the session with an identifier is not revoked.
    package init(
        limits: Limits = Limits(), memory: ResponseMemory = .shared,
        isValid: @escaping @Sendable (String) -> Bool = { _ in true }
    ) {
        self.limits = limits
        self.memory = memory
        self.isValid = isValid
    }

    /// The number of open connections.
    var count: Int { connections.withLock(\.count) }

    /// Takes a new connection, on which a request is to come before the time is up.
    func opened(_ channel: any Channel) {
        let connection = Connection(channel: channel, address: channel.remoteAddress.flatMap(ClientAddress.init))
        let displaced = connections.withLock { connections in
            let displaced = surplus(connections.values, with: connection)
            connections[ObjectIdentifier(channel)] = connection
            // Not only when it has closed: that is up to its event loop, and until then the next one would displace it again.
            return displaced.flatMap { connections.removeValue(forKey: ObjectIdentifier($0)) }
        }
        channel.closeFuture.whenComplete { [weak self] _ in self?.closed(channel) }
        expect(channel)
        displaced?.timeout?.cancel()
        displaced?.channel.close(promise: nil)
    }

    /// Returns what is to close for a new connection, if a limit is reached: the new one itself, if all others are protected.
    private func surplus(
        _ open: some Collection<Connection>, with connection: Connection
    ) -> (any Channel)? {
        let neighbors =
            connection.address.map { address in open.filter { $0.address == address && $0.user == nil } } ?? []
        let isCrowded = neighbors.count >= limits.perAddress
        guard isCrowded || open.count >= limits.connections else { return nil }
        let candidates = (isCrowded ? neighbors : Array(open)).filter { !$0.isProtected }
        return (candidates.min { $0.active < $1.active } ?? connection).channel
    }

    /// Notes whether the client of a connection has a login, and its user behind the proxy of Home Assistant.
    ///
    /// The proxy has one address for all users. A user with too many connections loses the one that was idle for longest.
    func identified(_ channel: any Channel, hasLogin: Bool, user: String? = nil) {
        let surplus = connections.withLock { connections -> Connection? in
            let id = ObjectIdentifier(channel)
            connections[id]?.hasLogin = hasLogin
            connections[id]?.user = user
            guard let user else { return nil }
            let own = connections.filter { $0.value.user == user }
            guard own.count > limits.perAddress else { return nil }
            let idle = own.filter { $0.key != id }.min { $0.value.active < $1.value.active }
            return idle.flatMap { connections.removeValue(forKey: $0.key) }
        }
        surplus?.timeout?.cancel()
        surplus?.channel.close(promise: nil)
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

    /// Returns whether the last answer was written: no further request is processed. A connection that was displaced has none.
    func isLingering(_ channel: any Channel) -> Bool {
        connections.withLock { $0[ObjectIdentifier(channel)]?.isLast ?? true }
    }

    /// The client begins to listen to an answer that goes on until `end` is called.
    func listens(_ channel: any Channel, end: @escaping @Sendable () -> Void) {
        connections.withLock { $0[ObjectIdentifier(channel)]?.end = end }
    }

    /// Ends the connections that never end by themselves: their clients have to log in again. In an orderly way, for a
    /// browser takes an answer that breaks off for a fault of the network. Long answers to sessions that are revoked break off.
    func sessionsRevoked() {
        let all = connections.withLock { connections in
            for id in connections.keys { connections[id]?.hasLogin = false }
            return Array(connections.values)
        }
        for connection in all {
            if let receiver = connection.receiver, !isValid(receiver) { connection.channel.close(promise: nil) }
            connection.end?()
        }
    }

    /// Returns an answer that breaks off when the session of its client is revoked, if it takes the client time to receive it.
    func holding(_ response: Response, for session: String, on channel: any Channel) -> Response {
        // An event stream ends in an orderly way.
        guard response.body.contentLength.map({ $0 > PieceWriter.size }) ?? true,
            response.headers[.contentType] != EventStreamField.contentType
        else { return response }
        let body = response.body
        var response = response
        response.body = ResponseBody(contentLength: body.contentLength) { [self] writer in
            setReceiver(session, of: channel)
            defer { setReceiver(nil, of: channel) }
            // It may have been revoked while the answer was made.
            guard isValid(session) else { throw SessionRevoked() }
            try await body.write(writer)
        }
        return response
    }

    private func setReceiver(_ session: String?, of channel: any Channel) {
        connections.withLock { $0[ObjectIdentifier(channel)]?.receiver = session }
    }

    /// The end of an answer whose client may not receive the rest.
    private struct SessionRevoked: Error {}

    /// Closes the idle connections, and ends the others with their answers.
    func drain() {
        for connection in connections.withLock({ Array($0.values) }) {
            connection.end?()
            // Hummingbird's connection handler waits for the answers.
            connection.channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        }
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
            connections[ObjectIdentifier(channel)]?.active = .now()
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
    typealias InboundOut = Never

    private let connections: Connections

    init(_ connections: Connections) {
        self.connections = connections
    }

    /// The number of bytes that are read at once; swift-nio's own buffers grow to 64 KiB. All requests in them are decoded at
    /// once, and a decoded request takes many times the memory of its text, so that pipelined ones are to be few. Of a
    /// request's content that is not read ten parts of this size wait at most.
    private static let readSize = 2048

    /// Not before: swift-nio takes a connection that closes while it is being set up for a failure of the listener.
    func channelActive(context: ChannelHandlerContext) {
        connections.opened(context.channel)
        context.fireChannelActive()
    }

    func handlerAdded(context: ChannelHandlerContext) {
        do {
            let pipeline = context.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(AbsoluteTarget(), position: .after(decoder))
            let input = LastRequest.Input()
            try pipeline.addHandler(input, position: .before(decoder))
            try pipeline.addHandler(LastRequest(input: input), position: .after(decoder))
            let options = context.channel.syncOptions
            try options?.setOption(
                .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: Self.readSize))
            try options?.setOption(.maxMessagesPerRead, value: 1)
            try options?.setOption(
                .writeBufferWaterMark, value: .init(low: PieceWriter.size / 2, high: PieceWriter.size))
        } catch {
            context.close(promise: nil)
        }
    }
}
