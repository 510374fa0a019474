import DBus

/// The peripherals to look for.
struct DiscoveryFilter: Sendable, Hashable {
    /// Those that advertise one of these services; empty: any.
    var services: Set<BluetoothUUID> = []
    /// Those whose address begins like this; nil: any.
    var address: String?
}

extension DiscoveryFilter {
    /// One that lets through all that any of these would; nil for none. bluetoothd has one filter for each program.
    init?(merging filters: some Collection<DiscoveryFilter>) {
        guard let first = filters.first else { return nil }
        guard !filters.allSatisfy({ $0 == first }) else {
            self = first
            return
        }
        self.init(
            services: filters.contains { $0.services.isEmpty }
                ? [] : filters.reduce(into: []) { $0.formUnion($1.services) })
    }

    var argument: DBusValue {
        // Every advertisement is signalled, so that a peripheral is seen at once and its absence soon.
        var members: [String: DBusValue] = ["Transport": .string("le"), "DuplicateData": .boolean(true)]
        if !services.isEmpty { members["UUIDs"] = .strings(services.map(\.full).sorted()) }
        if let address { members["Pattern"] = .string(address) }
        return .properties(members)
    }
}
