import CGIO
import CNetworkManager
import DBus

/// The logins from other machines over this machine's Wi-Fi.
extension NetworkManagerSession {
    private static let loginLimit = Duration.seconds(3)

    /// The sessions that are looked at.
    private static let mostLogins = 64

    /// Whether a connection of a login over one of these addresses is open: one to the port of SSH, or one from the host of a session of
    /// systemd-logind from elsewhere. A host that logind knows by name counts in any case.
    func isLoggedIn(over addresses: Set<NetworkAddress>) async -> Bool {
        guard !addresses.isEmpty else { return false }
        let connections = TCPConnections.ofThisMachine.filter { addresses.contains($0.local) }
        if connections.contains(where: { $0.localPort == TCPConnections.sshPort }) { return true }
        for host in await remoteHosts() {
            guard let address = NetworkAddress(host) else { return true }
            if connections.contains(where: { $0.remote == address }) { return true }
        }
        return false
    }

    /// The addresses of the device.
    func addresses(_ device: OpaquePointer) -> [NetworkAddress] {
        [nm_device_get_ip4_config(device), nm_device_get_ip6_config(device)].flatMap { configuration in
            pointers(configuration.flatMap { nm_ip_config_get_addresses($0) }).compactMap { address in
                nm_ip_address_get_address(address).flatMap { NetworkAddress(String(cString: $0)) }
            }
        }
    }

    /// The hosts of the sessions from elsewhere, as systemd-logind knows them; none without logind.
    private func remoteHosts() async -> [String] {
        guard
            case .structure(let answer)? = await logind("/org/freedesktop/login1", "Manager", "ListSessions", nil),
            case .array(_, let sessions)? = answer.first
        else { return [] }
        var hosts: [String] = []
        for case .structure(let session) in sessions.prefix(Self.mostLogins) {
            guard case .objectPath(let path)? = session.last,
                let remote = await property("Remote", path), case .boolean(true) = remote,
                let host = await property("RemoteHost", path), case .string(let name) = host
            else { continue }
            hosts.append(name)
        }
        return hosts
    }

    private func property(_ name: String, _ path: String) async -> DBusValue? {
        let interface = "org.freedesktop.login1.Session"
        let arguments = DBusValue.structure([.string(interface), .string(name)])
        guard case .structure(let answer)? = await logind(path, nil, "Get", arguments),
            case .variant(let value)? = answer.first
        else { return nil }
        return value
    }

    /// - Parameter interface: The interface of logind; `nil` for the one of properties.
    private func logind(_ path: String, _ interface: String?, _ method: String, _ arguments: DBusValue?) async
        -> DBusValue?
    {
        guard let bus, g_variant_is_object_path(path) != 0 else { return nil }
        let name = interface.map { "org.freedesktop.login1.\($0)" } ?? "org.freedesktop.DBus.Properties"
        let answer: Result<DBusValue, CallFailure> = await call(within: Self.loginLimit) {
            cancellable, callback, data in
            g_dbus_connection_call(
                bus.pointer, "org.freedesktop.login1", path, name, method, arguments.flatMap(\.gVariant), nil, .noFlags,
                -1,
                cancellable, callback, data)
        } finish: { _, result, error in
            guard let answer = g_dbus_connection_call_finish(bus.pointer, result, error) else { return nil }
            defer { g_variant_unref(answer) }
            return DBusValue(answer)
        }
        return try? answer.get()
    }
}
