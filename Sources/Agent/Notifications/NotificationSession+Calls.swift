import CGIO
import GLib

/// Method calls on the session bus.
extension NotificationSession {
    /// Calls a method of the server.
    func invoke<Value: Sendable>(
        _ method: String, reply: String, _ arguments: () -> OpaquePointer?,
        read: @escaping @Sendable (OpaquePointer) -> Value
    ) async -> Result<Value, NotificationFailure> {
        await call(Self.name, "/org/freedesktop/Notifications", method, reply: reply, arguments, read)
    }

    /// Calls a method of the bus itself.
    func ask<Value: Sendable>(
        _ method: String, reply: String, _ arguments: () -> OpaquePointer?,
        read: @escaping @Sendable (OpaquePointer) -> Value
    ) async -> Result<Value, NotificationFailure> {
        await call("org.freedesktop.DBus", "/org/freedesktop/DBus", method, reply: reply, arguments, read)
    }

    /// - Parameters:
    ///   - name: of the callee and of its interface.
    ///   - reply: the type of the answer; any other is an error.
    private func call<Value: Sendable>(
        _ name: String, _ path: String, _ method: String, reply: String, _ arguments: () -> OpaquePointer?,
        _ read: @escaping @Sendable (OpaquePointer) -> Value
    ) async -> Result<Value, NotificationFailure> {
        guard let bus, !gate.isClosed else { return .failure(.cancelled) }
        return await call(within: Self.limit) { cancellable, callback, data in
            g_dbus_connection_call(
                bus.pointer, name, path, name, method, arguments(), nil, G_DBUS_CALL_FLAGS_NONE, -1, cancellable,
                callback, data)
        } finish: { source, result, error in
            guard let answer = g_dbus_connection_call_finish(source, result, error) else { return nil }
            defer { g_variant_unref(answer) }
            return answer.hasType(reply) ? read(answer) : nil
        }
    }
}
