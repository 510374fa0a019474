package import COkaeriGIO

/// An interface of an object that is being served; withdrawn with the export.
package final class BusExport: Sendable {
    /// The number of calls that wait for the handler; further ones are refused.
    private static let backlog = 64

    private let connection: GObjectReference
    private let id: guint
    private let calls: AsyncStream<IncomingCall>.Continuation

    private init(
        connection: GObjectReference, id: guint, calls: AsyncStream<IncomingCall>.Continuation
    ) {
        self.connection = connection
        self.id = id
        self.calls = calls
    }

    deinit {
        g_dbus_connection_unregister_object(connection.pointer, id)
        calls.finish()
    }

    /// To be called on the thread that is to hear the calls.
    static func register(
        _ interface: BusInterface, at path: String, on connection: GObjectReference
    ) -> Result<BusExport, BusError> {
        var error: UnsafeMutablePointer<GError>?
        guard g_variant_is_object_path(path) != 0 else { return .failure(.unreadable) }
        guard let node = g_dbus_node_info_new_for_xml(interface.introspection, &error) else {
            return .failure(BusError(consuming: error))
        }
        defer { g_dbus_node_info_unref(node) }
        let (calls, continuation) = AsyncStream.makeStream(
            of: IncomingCall.self, bufferingPolicy: .bufferingOldest(Self.backlog))
        let served = ServedInterface(interface, continuation)
        var table = GDBusInterfaceVTable()
        table.method_call = methodCalled
        table.get_property = propertyAsked
        let id = g_dbus_connection_register_object(
            connection.pointer, path, g_dbus_node_info_lookup_interface(node, interface.name), &table,
            Unmanaged.passRetained(served).toOpaque(), releaseObject, &error)
        guard id != 0 else { return .failure(BusError(consuming: error)) }
        let methods = Dictionary(interface.methods.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        Task {
            for await incoming in calls {
                guard let method = methods[incoming.method] else { continue }
                incoming.answer(await method.handler(incoming.call), method.returns)
            }
        }
        return .success(BusExport(connection: connection, id: id, calls: continuation))
    }
}

private struct IncomingCall: Sendable {
    let invocation: GObjectReference
    let method: String
    let call: BusInterface.Call

    /// Answers it. Safe from any thread, as sending is in GDBus.
    ///
    /// - Parameter types: The types of the answer: GDBus would not send another one, and the caller would wait.
    func answer(_ result: Result<[DBusValue], BusInterface.Refusal>, _ types: [String]) {
        // The answer takes over a reference of its own.
        g_object_ref(gpointer(invocation.pointer))
        switch result {
        case .success(let values):
            if values.map(\.type) == types, let arguments = DBusValue.structure(values).variant {
                g_dbus_method_invocation_return_value(invocation.pointer, arguments)
            } else {
                refuse(BusInterface.Refusal("org.freedesktop.DBus.Error.Failed", "the answer cannot be sent"))
            }
        case .failure(let refusal): refuse(refusal)
        }
    }

    private func refuse(_ refusal: BusInterface.Refusal) {
        g_dbus_method_invocation_return_dbus_error(invocation.pointer, refusal.name, refusal.message)
    }
}

private final class ServedInterface {
    let properties: [String: BusInterface.Property]
    let arrivals: [String: @Sendable (BusInterface.Call) -> Void]
    let calls: AsyncStream<IncomingCall>.Continuation

    init(_ interface: BusInterface, _ calls: AsyncStream<IncomingCall>.Continuation) {
        properties = Dictionary(interface.properties.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        arrivals = Dictionary(
            interface.methods.compactMap { method in method.arrival.map { (method.name, $0) } },
            uniquingKeysWith: { $1 })
        self.calls = calls
    }
}

private func methodCalled(
    _: OpaquePointer?, sender: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?,
    method: UnsafePointer<CChar>?, arguments: OpaquePointer?, invocation: OpaquePointer?, data: gpointer?
) {
    guard let data, let method, let arguments, let invocation = GObjectReference(taking: invocation) else { return }
    var values: [DBusValue] = []
    if case .structure(let members) = DBusValue(arguments) { values = members }
    let call = BusInterface.Call(sender: sender.map { String(cString: $0) } ?? "", arguments: values)
    let served = Unmanaged<ServedInterface>.fromOpaque(data).takeUnretainedValue()
    let incoming = IncomingCall(invocation: invocation, method: String(cString: method), call: call)
    if let arrival = served.arrivals[incoming.method] {
        arrival(call)
        return incoming.answer(.success([]), [])
    }
    guard case .dropped = served.calls.yield(incoming) else { return }
    incoming.answer(.failure(.init("org.freedesktop.DBus.Error.LimitsExceeded", "too many calls wait")), [])
}

private func propertyAsked(
    _: OpaquePointer?, _: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?,
    name: UnsafePointer<CChar>?, error: UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?, data: gpointer?
) -> OpaquePointer? {
    guard let data, let name else { return nil }
    let served = Unmanaged<ServedInterface>.fromOpaque(data).takeUnretainedValue()
    if let value = served.properties[String(cString: name)]?.value().variant { return value }
    error?.pointee = g_error_new_literal(
        g_dbus_error_quark(), gint(G_DBUS_ERROR_FAILED.rawValue), "the property cannot be sent")
    return nil
}

// GLib 2.90 declares both as sets of flags, of which Swift imports no name for the empty one.

extension GDBusCallFlags {
    package static var noFlags: Self { Self(rawValue: 0) }
}

extension GDBusSignalFlags {
    package static var noFlags: Self { Self(rawValue: 0) }
}
