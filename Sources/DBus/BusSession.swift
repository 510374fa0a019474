import CGIO
import GLib

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

    /// Which signals; nil is any.
    struct Wanted: Sendable {
        var sender: String?
        var interface: String?
        var member: String?
        var path: String?
    }

    /// For the connection to be made, and to be closed.
    private static let openLimit = Duration.seconds(25)
    private static let closeLimit = Duration.seconds(1)

    let context: GLibContext
    let changes = Changes()
    var cancellables: [UInt64: GObjectReference] = [:]
    private var connection: GObjectReference?
    private var closing: SignalHandler?
    private var subscriptions: [UInt64: SignalSubscription] = [:]

    init(context: GLibContext) {
        self.context = context
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { context.asUnownedSerialExecutor() }

    func open(_ address: String?) async -> Result<Void, BusError> {
        guard let address = address ?? Self.systemBusAddress() else {
            return .failure(.disconnected("this machine has no system bus"))
        }
        let made = await call(within: Self.openLimit) { cancellable, callback, data in
            okaeri_bus_connect_async(address, cancellable, callback, data)
        } finish: { _, result, error in
            GObjectReference(taking: g_dbus_connection_new_for_address_finish(result, error))
        }
        return made.map { connection in
            self.connection = connection
            closing = SignalHandler.notify(connection, changes)
        }
    }

    private static func systemBusAddress() -> String? {
        guard let address = g_dbus_address_get_for_bus_sync(G_BUS_TYPE_SYSTEM, nil, nil) else { return nil }
        defer { g_free(address) }
        return String(cString: address)
    }

    func call(_ asked: Call, within limit: Duration) async -> Result<[DBusValue], BusError> {
        guard let connection = openConnection else { return .failure(Self.isClosed) }
        guard g_variant_is_object_path(asked.path) != 0, g_dbus_is_interface_name(asked.interface) != 0,
            g_dbus_is_member_name(asked.method) != 0, g_dbus_is_name(asked.destination) != 0,
            let arguments = DBusValue.structure(asked.arguments).variant
        else { return .failure(.unreadable) }
        // GIO's own limit tells a callee that is silent from a caller that has stopped waiting.
        let milliseconds = gint(clamping: limit.components.seconds * 1000)
        return await call(within: limit + .seconds(1)) { cancellable, callback, data in
            g_dbus_connection_call(
                connection.pointer, asked.destination, asked.path, asked.interface, asked.method, arguments, nil,
                G_DBUS_CALL_FLAGS_NONE, max(1, milliseconds), cancellable, callback, data)
        } finish: { source, result, error in
            guard let answer = g_dbus_connection_call_finish(source, result, error) else { return nil }
            defer { g_variant_unref(answer) }
            guard case .structure(let values) = DBusValue(answer) else { return nil }
            return values
        }
    }

    func subscribe(_ wanted: Wanted) -> Result<AsyncStream<BusSignal>, BusError> {
        guard let connection = openConnection else { return .failure(Self.isClosed) }
        let (stream, continuation) = AsyncStream.makeStream(of: BusSignal.self)
        let ticket = changes.ticket()
        subscriptions[ticket] = SignalSubscription(connection, wanted, continuation)
        continuation.onTermination = { [weak self] _ in
            guard let self else { return }
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

    func emit(
        _ interface: String, _ member: String, at path: String, _ arguments: [DBusValue]
    ) -> Result<Void, BusError> {
        guard let connection = openConnection else { return .failure(Self.isClosed) }
        guard g_variant_is_object_path(path) != 0, g_dbus_is_interface_name(interface) != 0,
            g_dbus_is_member_name(member) != 0, let arguments = DBusValue.structure(arguments).variant
        else { return .failure(.unreadable) }
        var error: UnsafeMutablePointer<GError>?
        let isSent = g_dbus_connection_emit_signal(
            connection.pointer, nil, path, interface, member, arguments, &error)
        return isSent != 0 ? .success(()) : .failure(BusError(consuming: error))
    }

    func closed() async -> Result<Void, BusError> {
        await wait(until: .now + .seconds(Int64(Int32.max))) { openConnection == nil }
        endSubscriptions()
        return .success(())
    }

    func close() async -> Result<Void, BusError> {
        cancelCalls()
        endSubscriptions()
        guard let connection else { return .success(()) }
        self.connection = nil
        changes.ring()
        return await call(within: Self.closeLimit, endsWithService: false) { cancellable, callback, data in
            g_dbus_connection_close(connection.pointer, cancellable, callback, data)
        } finish: { source, result, error in
            g_dbus_connection_close_finish(source, result, error) != 0 ? () : nil
        }
    }

    private func endSubscriptions() {
        let ended = subscriptions.values
        subscriptions = [:]
        for subscription in ended { subscription.finish() }
    }

    private var openConnection: GObjectReference? {
        connection.flatMap { g_dbus_connection_is_closed($0.pointer) == 0 ? $0 : nil }
    }

    private static let isClosed = BusError.disconnected("the connection is closed")
}
