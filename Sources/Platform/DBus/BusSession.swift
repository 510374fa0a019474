import COkaeriGIO

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

package struct BusSignal: Hashable, Sendable {
    /// The unique name of the sender, as `:1.42`.
    package var sender: String
    package var path: String
    package var interface: String
    package var member: String
    package var arguments: [DBusValue]
}

/// A selection of signals (D-Bus Specification, "Match Rules"); `nil` is any.
package struct SignalMatch: Hashable, Sendable {
    /// The sender: a unique name, or a name that may go from one owner to another.
    package var sender: String?
    package var interface: String?
    package var member: String?
    package var path: String?

    /// The first argument, a string: the rule's `arg0`. It holds no apostrophe, for GDBus quotes none.
    package var argument0: String?

    package init(
        sender: String? = nil, interface: String? = nil, member: String? = nil, path: String? = nil,
        argument0: String? = nil
    ) {
        self.sender = sender
        self.interface = interface
        self.member = member
        self.path = path
        self.argument0 = argument0
    }

    /// Whether a bus takes it.
    var isValid: Bool {
        sender.map { g_dbus_is_name($0) != 0 } ?? true
            && interface.map { g_dbus_is_interface_name($0) != 0 } ?? true
            && member.map { g_dbus_is_member_name($0) != 0 } ?? true
            && path.map { g_variant_is_object_path($0) != 0 } ?? true
            && argument0.map { !$0.contains("'") } ?? true
    }
}

/// Signals that are handled one after another as they come, on the bus's own thread: nothing is kept in between,
/// however many there are. It ends with the object, which is to go before the bus is closed.
package final class SignalObservation: Sendable {
    private let connection: GObjectReference
    private let id: guint

    /// To be called on the thread that is to hear the signals.
    ///
    /// - Parameter match: a valid one.
    init(_ connection: GObjectReference, _ match: SignalMatch, _ handler: @escaping @Sendable (BusSignal) -> Void) {
        self.connection = connection
        id = g_dbus_connection_signal_subscribe(
            connection.pointer, match.sender, match.interface, match.member, match.path, match.argument0, .noFlags,
            signalObserved, CallbackData(handler).retained, releaseObject)
    }

    deinit {
        g_dbus_connection_signal_unsubscribe(connection.pointer, id)
    }
}

private func signalObserved(
    _: OpaquePointer?, sender: UnsafePointer<CChar>?, path: UnsafePointer<CChar>?, interface: UnsafePointer<CChar>?,
    member: UnsafePointer<CChar>?, arguments: OpaquePointer?, data: gpointer?
) {
    guard let data, let signal = BusSignal(sender, path, interface, member, arguments) else { return }
    CallbackData<@Sendable (BusSignal) -> Void>.value(data)(signal)
}

extension BusSignal {
    /// Reads the arguments of GDBus's callback; `nil` if one is missing.
    fileprivate init?(
        _ sender: UnsafePointer<CChar>?, _ path: UnsafePointer<CChar>?, _ interface: UnsafePointer<CChar>?,
        _ member: UnsafePointer<CChar>?, _ arguments: OpaquePointer?
    ) {
        guard let path, let interface, let member, let arguments, case .structure(let values) = DBusValue(arguments)
        else { return nil }
        self.init(
            sender: sender.map { String(cString: $0) } ?? "", path: String(cString: path),
            interface: String(cString: interface), member: String(cString: member), arguments: values)
    }
}
