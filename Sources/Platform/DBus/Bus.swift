import COkaeriGIO
import OkaeriPlumbing

/// A connection to a message bus. After this has closed, a new bus needs a new connection.
///
/// It has a thread until ``close()``; call it from anywhere. Every wait is bounded, unless its documentation names an exception.
package final class Bus: Sendable {
    private let session: BusSession
    private let gate = Gate()

    /// Connects. It ends early when the task is cancelled.
    ///
    /// - Parameters:
    ///   - kind: The bus, if no address is given.
    ///   - address: the bus, as in `unix:path=/run/dbus/system_bus_socket`; `nil`: that of the environment.
    package static func connect(_ kind: Kind = .system, address: String? = nil) async throws(BusError) -> Bus {
        let bus = try Bus()
        let opened = await withTaskCancellationHandler {
            await bus.open(kind, address)
        } onCancel: {
            Task { await bus.close() }
        }
        do throws(BusError) {
            try opened.get()
            // A connection that was made after the cancellation has no user.
            if Task.isCancelled { throw .cancelled }
            return bus
        } catch {
            await bus.close()
            throw error
        }
    }

    private func open(_ kind: Kind, _ address: String?) async -> Result<Void, BusError> {
        do throws(BusError) {
            return .success(try await inside { session in await session.open(kind, address) })
        } catch {
            return .failure(error)
        }
    }

    private init() throws(BusError) {
        let (context, gate) = (GLibContext(), gate)
        session = BusSession(context: context)
        _ = gate.open()
        try BlockingThread.start({ BusError.disconnected("no thread can be started for it (error \($0))") }) {
            context.iterate(until: { gate.isClosed && gate.isEmpty })
        }
    }

    deinit {
        gate.close()
        session.context.wakeUp()
    }

    /// Calls a method, and returns the answer's arguments.
    package func call(
        _ destination: String, _ path: String, _ interface: String, _ method: String, _ arguments: [DBusValue] = [],
        within limit: Duration = .seconds(25)
    ) async throws(BusError) -> [DBusValue] {
        let call = BusSession.Call(
            destination: destination, path: path, interface: interface, method: method, arguments: arguments)
        return try await inside { session in await session.call(call, within: limit) }
    }

    /// Subscribes to the signals that any of the matches wants. They are heard from when it returns, all in the order
    /// in which the bus passes them on. The stream ends with ``close()``, and with the bus while a task is in
    /// ``closed()``. A signal that two matches want comes twice. A reader that leaves more than 1024 unread loses the oldest.
    package func signals(_ matches: [SignalMatch]) async throws(BusError) -> AsyncStream<BusSignal> {
        let stream = try await inside { session in await session.subscribe(matches) }
        try await receiveAnswer()
        return stream
    }

    /// Serves an interface of an object, until what is returned goes, or the bus closes.
    package func export(_ interface: BusInterface, at path: String) async throws(BusError) -> BusExport {
        try await inside { session in await session.export(interface, at: path) }
    }

    /// Handles signals on the bus's thread, in order and unbuffered, from its return until the observation goes.
    ///
    /// - Parameter handler: must not block: nothing else is heard meanwhile.
    package func observe(
        _ match: SignalMatch, _ handler: @escaping @Sendable (BusSignal) -> Void
    ) async throws(BusError) -> SignalObservation {
        let observation = try await inside { session in await session.observe(match, handler) }
        try await receiveAnswer()
        return observation
    }

    /// Waits for an answer of the bus, which takes one message after another: then it knows what is wanted.
    private func receiveAnswer() async throws(BusError) {
        _ = try await call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetId")
    }

    /// Sends a signal.
    ///
    /// - Parameter destination: The only receiver; `nil`: all subscribers, on the system bus every logged-in user.
    package func emit(
        _ interface: String, _ member: String, at path: String, _ arguments: [DBusValue], to destination: String? = nil
    ) async throws(BusError) {
        try await inside { session in
            await session.emit(interface, member, at: path, arguments, to: destination)
        }
    }

    /// Sends the signal that properties have changed: `org.freedesktop.DBus.Properties.PropertiesChanged`.
    package func changed(
        _ properties: [String: DBusValue], of interface: String, at path: String, to destination: String? = nil
    ) async throws(BusError) {
        try await emit(
            "org.freedesktop.DBus.Properties", "PropertiesChanged", at: path,
            [.string(interface), .properties(properties), .strings([])], to: destination)
    }

    /// Returns when the connection is closed, by the bus or by ``close()``; that may take for ever.
    package func closed() async {
        _ = try? await inside { session in await session.closed() } as Void
    }

    /// Closes the connection and ends the thread. Everything that waits ends.
    package func close() async {
        _ = try? await inside { session in await session.close() } as Void
        gate.close()
        session.context.wakeUp()
    }

    /// The thread goes on while a task is inside.
    private func inside<Value>(
        _ body: (BusSession) async -> Result<Value, BusError>
    ) async throws(BusError) -> Value {
        guard gate.enter() else { throw .disconnected("the connection is closed") }
        defer {
            gate.leave()
            session.context.wakeUp()
        }
        return try await body(session).get()
    }
}

extension Bus {
    /// The buses that there are everywhere (D-Bus Specification, "Well-known Message Bus Instances").
    package enum Kind: Sendable {
        /// The machine's, with its services. `$DBUS_SYSTEM_BUS_ADDRESS` may name another.
        case system

        /// That of a login session, with its programs: `$DBUS_SESSION_BUS_ADDRESS`, or else `$XDG_RUNTIME_DIR/bus`.
        case session

        package var address: String? {
            let type =
                switch self {
                case .system: G_BUS_TYPE_SYSTEM
                case .session: G_BUS_TYPE_SESSION
                }
            guard let address = g_dbus_address_get_for_bus_sync(type, nil, nil) else { return nil }
            defer { g_free(address) }
            return String(cString: address)
        }
    }
}
