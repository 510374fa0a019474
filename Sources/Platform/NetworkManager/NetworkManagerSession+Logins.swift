import COkaeriGIO
import COkaeriNetworkManager
import OkaeriDBus

/// The logins from other machines over this machine's Wi-Fi.
extension NetworkManagerSession {
    /// For all answers of logind.
    private static let loginLimit = Duration.seconds(3)

    /// The sessions that are looked at. With more, one of them counts as a login over the connection.
    private static let mostLogins = 64

    /// Whether a connection of a login over one of these addresses is open: one to the port of SSH, or one from the host of a session of
    /// systemd-logind from another machine. What cannot be found out counts as a login: a host that logind has by name, and a logind
    /// that does not answer.
    func isLoggedIn(over addresses: Set<NetworkAddress>) async -> Bool {
        guard !addresses.isEmpty else { return false }
        guard let all = TCPConnections.ofThisMachine, let hosts = await remoteHosts() else { return true }
        let connections = all.filter { addresses.contains($0.local) }
        if connections.contains(where: { $0.localPort == TCPConnections.sshPort }) { return true }
        return hosts.contains { host in
            guard let address = NetworkAddress(host) else { return true }
            return connections.contains { $0.remote == address }
        }
    }

    /// The addresses of the device.
    func addresses(_ device: OpaquePointer) -> [NetworkAddress] {
        [nm_device_get_ip4_config(device), nm_device_get_ip6_config(device)].flatMap { configuration in
            pointers(configuration.flatMap { nm_ip_config_get_addresses($0) }).compactMap { address in
                nm_ip_address_get_address(address).flatMap { NetworkAddress(String(cString: $0)) }
            }
        }
    }

    /// The hosts of the sessions from other machines, as systemd-logind lists them; none without logind; `nil` if that is not known.
    private func remoteHosts() async -> [String]? {
        let deadline = ContinuousClock.now + Self.loginLimit
        let list = await logind("/org/freedesktop/login1", "Manager", "ListSessions", nil, until: deadline)
        if case .failure(.gone) = list { return [] }
        guard case .success(.structure(let answer)) = list, case .array(_, let sessions)? = answer.first,
            sessions.count <= Self.mostLogins
        else { return nil }
        var hosts: [String] = []
        for case .structure(let session) in sessions {
            guard case .objectPath(let path)? = session.last else { return nil }
            let remote = await property("Remote", path, until: deadline)
            // The session has ended.
            if case .failure(.refused) = remote { continue }
            guard case .success(.boolean(let isRemote)) = remote else { return nil }
            guard isRemote else { continue }
            guard case .success(.string(let name)) = await property("RemoteHost", path, until: deadline) else {
                return nil
            }
            hosts.append(name)
        }
        return hosts
    }

    private func property(
        _ name: String, _ path: String, until deadline: ContinuousClock.Instant
    ) async -> Result<DBusValue, CallFailure> {
        let arguments = DBusValue.structure([.string("org.freedesktop.login1.Session"), .string(name)])
        return await logind(path, nil, "Get", arguments, until: deadline).flatMap { answer in
            guard case .structure(let values) = answer, case .variant(let value)? = values.first else {
                return .failure(.vanished)
            }
            return .success(value)
        }
    }

    /// - Parameter interface: The interface of logind; `nil` for the one of properties.
    private func logind(
        _ path: String, _ interface: String?, _ method: String, _ arguments: DBusValue?,
        until deadline: ContinuousClock.Instant
    ) async -> Result<DBusValue, CallFailure> {
        guard let bus, g_variant_is_object_path(path) != 0 else { return .failure(.vanished) }
        let name = interface.map { "org.freedesktop.login1.\($0)" } ?? "org.freedesktop.DBus.Properties"
        return await call(within: max(.milliseconds(1), ContinuousClock.now.duration(to: deadline))) {
            cancellable, callback, data in
            g_dbus_connection_call(
                bus.pointer, "org.freedesktop.login1", path, name, method, arguments.flatMap(\.gVariant), nil, .noFlags,
                -1, cancellable, callback, data)
        } finish: { _, result, error in
            guard let answer = g_dbus_connection_call_finish(bus.pointer, result, error) else { return nil }
            defer { g_variant_unref(answer) }
            return DBusValue(answer)
        }
    }
}
