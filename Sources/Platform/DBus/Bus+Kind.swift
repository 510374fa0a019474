import CGIO

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
