/// The life of a listener, from binding its socket to the end of its last connection, without a socket: events in, actions
/// out. ``ListeningSocket`` performs the actions.
struct ListenerStateMachine: Sendable {
    /// The effect of an event, to be performed by the caller after the lock is released.
    enum Action: Equatable, Sendable {
        case none
        /// Report that clients can connect.
        case reportOpen
        /// Report that no new client shall find the socket, and in time that the grace period has ended.
        case beginShutdown
        case closeSocket
        /// Close idle connections, have the others end with their answers, and report in time that the drain timeout has
        /// ended.
        case drain
        /// Close all connections, and report in time that the close timeout has ended.
        case closeConnections
        /// Accept connections, or leave them to the kernel, by ``acceptsConnections``.
        case updateAccepting
        /// The listener is over, whether as requested or because its socket failed.
        case end(isFailure: Bool)
    }

    private enum State {
        /// The socket is being bound. → `listening`: it is bound. → `cancelled`: a stop is requested. → `ended`: it cannot be
        /// bound.
        case binding
        /// A stop was requested before the socket was bound. → `draining`: the socket, once bound, has closed. → `ended`: it
        /// cannot be bound.
        case cancelled
        /// Clients connect. → `stopping`: a stop is requested. → `draining`: the socket has closed by itself.
        case listening
        /// New clients do not find the socket, connections that the kernel has accepted are served. → `draining`: the socket
        /// has closed after the grace period.
        case stopping
        /// The socket is closed, answers are completed. → `closing`: the drain timeout has ended. → `ended`: no connection is
        /// left.
        case draining(isFailure: Bool)
        /// All connections are being closed. → `ended`: none is left, or the close timeout has ended.
        case closing(isFailure: Bool)
        /// The last state.
        case ended
    }

    /// The maximum number of connections that are served at once. Others wait in the kernel.
    private let limit: Int
    private var state = State.binding
    private var connections = 0

    /// Whether the socket accepts connections.
    private(set) var acceptsConnections = true

    init(limit: Int) {
        self.limit = limit
    }

    mutating func bindingSucceeded() -> Action {
        switch state {
        case .binding:
            state = .listening
            return .reportOpen
        case .cancelled: return .closeSocket
        case .listening, .stopping, .draining, .closing, .ended: return .none
        }
    }

    mutating func bindingFailed() {
        state = .ended
    }

    /// The daemon stops, or the task of the listener is cancelled.
    mutating func stopRequested() -> Action {
        switch state {
        case .binding:
            state = .cancelled
            return .none
        case .listening:
            state = .stopping
            return .beginShutdown
        case .cancelled, .stopping, .draining, .closing, .ended: return .none
        }
    }

    mutating func gracePeriodEnded() -> Action {
        switch state {
        case .stopping: .closeSocket
        case .binding, .cancelled, .listening, .draining, .closing, .ended: .none
        }
    }

    /// The socket is closed: no connection is accepted any more.
    mutating func socketClosed() -> Action {
        switch state {
        case .listening: drain(isFailure: true)
        case .binding, .cancelled, .stopping: drain(isFailure: false)
        case .draining, .closing, .ended: .none
        }
    }

    mutating func drainTimeoutEnded() -> Action {
        guard case .draining(let isFailure) = state else { return .none }
        state = .closing(isFailure: isFailure)
        return .closeConnections
    }

    mutating func closeTimeoutEnded() -> Action {
        guard case .closing(let isFailure) = state else { return .none }
        state = .ended
        return .end(isFailure: isFailure)
    }

    mutating func connectionAccepted() -> Action {
        connections += 1
        guard acceptsConnections, connections >= limit else { return .none }
        acceptsConnections = false
        return .updateAccepting
    }

    mutating func connectionEnded() -> Action {
        connections -= 1
        switch state {
        case .draining(let isFailure) where connections == 0, .closing(let isFailure) where connections == 0:
            state = .ended
            return .end(isFailure: isFailure)
        case .binding, .cancelled, .listening, .stopping, .draining, .closing, .ended:
            guard !acceptsConnections, connections < limit else { return .none }
            acceptsConnections = true
            return .updateAccepting
        }
    }

    private mutating func drain(isFailure: Bool) -> Action {
        guard connections > 0 else {
            state = .ended
            return .end(isFailure: isFailure)
        }
        state = .draining(isFailure: isFailure)
        return .drain
    }
}
