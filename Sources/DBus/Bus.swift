import CGIO
import Dispatch
import GLib

/// A connection to a message bus. Whoever wants a new one after this has closed connects anew.
///
/// It has a thread of its own until ``close()``; all else may be called from anywhere. Every wait is bounded, but for
/// those that say so.
package final class Bus: Sendable {
    private let session: BusSession
    private let gate = Gate()

    /// Connects.
    ///
    /// - Parameter address: the bus, as in `unix:path=/run/dbus/system_bus_socket`; nil for the system's, which
    ///   `$DBUS_SYSTEM_BUS_ADDRESS` may name.
    package static func connect(address: String? = nil) async throws(BusError) -> Bus {
        let bus = Bus()
        do throws(BusError) {
            try await bus.session.open(address).get()
        } catch {
            await bus.close()
            throw error
        }
        return bus
    }

    private init() {
        let (context, gate) = (GLibContext(), gate)
        session = BusSession(context: context)
        _ = gate.open()
        // A queue of its own has a thread of its own, and may block it.
        DispatchQueue(label: "okaeri.bus").async {
            context.iterate(until: { gate.isClosed && gate.isEmpty })
        }
    }

    deinit {
        gate.close()
        session.context.wakeUp()
    }

    /// Calls a method.
    ///
    /// - Parameters:
    ///   - limit: the longest that an answer may take.
    /// - Returns: the answer's arguments.
    package func call(
        _ destination: String, _ path: String, _ interface: String, _ method: String, _ arguments: [DBusValue] = [],
        within limit: Duration = .seconds(25)
    ) async throws(BusError) -> [DBusValue] {
        let call = BusSession.Call(
            destination: destination, path: path, interface: interface, method: method, arguments: arguments)
        return try await inside { session in await session.call(call, within: limit) }
    }

    /// Subscribes to signals; nil is any. They are heard from when it returns, in their order, until the bus closes.
    package func signals(
        sender: String?, interface: String?, member: String? = nil, path: String? = nil
    ) async throws(BusError) -> AsyncStream<BusSignal> {
        let wanted = BusSession.Wanted(sender: sender, interface: interface, member: member, path: path)
        let stream = try await inside { session in await session.subscribe(wanted) }
        // The bus takes one message after another: with its answer it knows what is wanted.
        _ = try await call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetId")
        return stream
    }

    /// Serves an interface of an object, until what is returned goes, or the bus closes.
    package func export(_ interface: BusInterface, at path: String) async throws(BusError) -> BusExport {
        try await inside { session in await session.export(interface, at: path) }
    }

    /// Sends a signal to whoever listens.
    package func emit(
        _ interface: String, _ member: String, at path: String, _ arguments: [DBusValue]
    ) async throws(BusError) {
        try await inside { session in await session.emit(interface, member, at: path, arguments) }
    }

    /// Says that properties have changed: `org.freedesktop.DBus.Properties.PropertiesChanged`.
    package func changed(_ properties: [String: DBusValue], of interface: String, at path: String)
        async throws(BusError)
    {
        try await emit(
            "org.freedesktop.DBus.Properties", "PropertiesChanged", at: path,
            [.string(interface), .properties(properties), .strings([])])
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

    /// The thread goes on for as long as somebody is inside.
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
