import CGIO

/// All that touches the connection, on the thread that iterates the context.
actor BusSession: GLibActor {
    typealias Failure = BusError

    struct Call: Sendable {
        var destination: String
        var path: String
        var interface: String
        var method: String
        var arguments: [DBusValue]
    }

    private typealias Subscription = (
        signals: AsyncStream<BusSignal>.Continuation, observations: [SignalObservation]
    )

    /// For the connection to be made, and to be closed.
    private static let openLimit = Duration.seconds(25)
    private static let closeLimit = Duration.seconds(1)

    /// The number of signals that a reader may leave unread; of more the oldest are dropped.
    private static let backlog = 1024

    let context: GLibContext
    let changes = Changes()
    var cancellables: [UInt64: GObjectReference] = [:]
    private var connection: GObjectReference?
    private var closing: SignalHandler?
    private var subscriptions: [UInt64: Subscription] = [:]
    private var isClosing = false

    init(context: GLibContext) {
        self.context = context
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { context.asUnownedSerialExecutor() }

    func open(_ kind: Bus.Kind, _ address: String?) async -> Result<Void, BusError> {
        guard !isClosing else { return .failure(.cancelled) }
        guard let address = address ?? kind.address else {
            return .failure(.disconnected("the environment names no \(kind) bus"))
        }
        let made = await call(within: Self.openLimit) { cancellable, callback, data in
            okaeri_bus_connect_async(address, cancellable, callback, data)
        } finish: { _, result, error in
            GObjectReference(taking: g_dbus_connection_new_for_address_finish(result, error))
        }
        return made.flatMap { connection in
            guard !isClosing else { return .failure(.cancelled) }
            self.connection = connection
            closing = SignalHandler.notify(connection, changes)
            return .success(())
        }
    }

    func call(_ asked: Call, within limit: Duration) async -> Result<[DBusValue], BusError> {
        guard let connection = openConnection else { return .failure(Self.isClosed) }
        guard g_variant_is_object_path(asked.path) != 0, g_dbus_is_interface_name(asked.interface) != 0,
            g_dbus_is_member_name(asked.method) != 0, g_dbus_is_name(asked.destination) != 0,
            let arguments = DBusValue.structure(asked.arguments).variant
        else { return .failure(.unreadable) }
        // GIO's own limit distinguishes a callee that is silent from a caller that has stopped waiting.
        let milliseconds = gint(clamping: limit.components.seconds * 1000)
        return await call(within: limit + .seconds(1)) { cancellable, callback, data in
            g_dbus_connection_call(
                connection.pointer, asked.destination, asked.path, asked.interface, asked.method, arguments, nil,
                .noFlags, max(1, milliseconds), cancellable, callback, data)
        } finish: { source, result, error in
            guard let answer = g_dbus_connection_call_finish(source, result, error) else { return nil }
            defer { g_variant_unref(answer) }
            guard case .structure(let values) = DBusValue(answer) else { return nil }
            return values
        }
    }

    func subscribe(_ matches: [SignalMatch]) -> Result<AsyncStream<BusSignal>, BusError> {
        guard let connection = openConnection else { return .failure(Self.isClosed) }
        guard matches.allSatisfy(\.isValid) else { return .failure(.unreadable) }
        let (stream, continuation) = AsyncStream.makeStream(
            of: BusSignal.self, bufferingPolicy: .bufferingNewest(Self.backlog))
        let ticket = changes.ticket()
        subscriptions[ticket] = (
            continuation, matches.map { SignalObservation(connection, $0) { continuation.yield($0) } }
        )
        continuation.onTermination = { [weak self] reason in
            // A finished stream was removed before; and then the object may be gone.
            guard case .cancelled = reason, let self else { return }
            Task { await self.unsubscribe(ticket) }
        }
        return .success(stream)
    }

    private func unsubscribe(_ ticket: UInt64) {
        subscriptions[ticket] = nil
    }

    func export(_ interface: BusInterface, at path: String) -> Result<BusExport, BusError> {
        guard let connection = openConnection else { return .failure(Self.isClosed) }
        return BusExport.register(interface, at: path, on: connection)
    }

    func observe(
        _ match: SignalMatch, _ handler: @escaping @Sendable (BusSignal) -> Void
    ) -> Result<SignalObservation, BusError> {
        guard let connection = openConnection else { return .failure(Self.isClosed) }
        guard match.isValid else { return .failure(.unreadable) }
        return .success(SignalObservation(connection, match, handler))
    }

    func emit(
        _ interface: String, _ member: String, at path: String, _ arguments: [DBusValue], to destination: String?
    ) -> Result<Void, BusError> {
        guard let connection = openConnection else { return .failure(Self.isClosed) }
        guard g_variant_is_object_path(path) != 0, g_dbus_is_interface_name(interface) != 0,
            g_dbus_is_member_name(member) != 0, destination.map({ g_dbus_is_name($0) != 0 }) ?? true,
            let arguments = DBusValue.structure(arguments).variant
        else { return .failure(.unreadable) }
        var error: UnsafeMutablePointer<GError>?
        let isSent = g_dbus_connection_emit_signal(
            connection.pointer, destination, path, interface, member, arguments, &error)
        return isSent != 0 ? .success(()) : .failure(BusError(consuming: error))
    }

    func closed() async -> Result<Void, BusError> {
        await wait(until: .now + .seconds(Int64(Int32.max))) { openConnection == nil }
        endSubscriptions()
        return .success(())
    }

    func close() async -> Result<Void, BusError> {
        isClosing = true
        cancelCalls()
        endSubscriptions()
        guard let connection else { return .success(()) }
        self.connection = nil
        changes.notify()
        return await call(within: Self.closeLimit, endsWithService: false) { cancellable, callback, data in
            g_dbus_connection_close(connection.pointer, cancellable, callback, data)
        } finish: { source, result, error in
            g_dbus_connection_close_finish(source, result, error) != 0 ? () : nil
        }
    }

    private func endSubscriptions() {
        let ended = subscriptions.values
        subscriptions = [:]
        for subscription in ended { subscription.signals.finish() }
    }

    private var openConnection: GObjectReference? {
        connection.flatMap { g_dbus_connection_is_closed($0.pointer) == 0 ? $0 : nil }
    }

    private static let isClosed = BusError.disconnected("the connection is closed")
}
