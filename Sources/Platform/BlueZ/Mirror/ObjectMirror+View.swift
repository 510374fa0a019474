import DBus
import Plumbing

extension ObjectMirror.View {
    struct Adapter: Sendable, Equatable {
        var path: String
        var isPowered: Bool

        /// `hci0`.
        var name: String { path.split(separator: "/").last.map(String.init) ?? path }
    }

    /// The adapter of that name; without one the first that has power, else the first.
    func adapter(named name: String?) -> Adapter? {
        let adapters = tree.paths(with: Interface.adapter).map { path in
            Adapter(path: path, isPowered: tree[path, Interface.adapter]?["Powered"]?.boolean == true)
        }
        if let name { return adapters.first { $0.name == name } }
        return adapters.first(where: \.isPowered) ?? adapters.first
    }

    /// Returns the reason why Bluetooth cannot be used at present; `nil` if it can, or if nothing is known yet.
    func obstacle(adapter name: String?) -> CentralError? {
        switch reach {
        case .noBus where isRefused, .unknown where isRefused: .notPermitted(reason: busError?.reason ?? "")
        case .noBus: busError.map { .noBus(reason: $0.reason) }
        case .noDaemon: .noDaemon
        case .unknown: nil
        case .known:
            switch adapter(named: name) {
            case nil: .noAdapter(name)
            case let adapter?: adapter.isPowered ? nil : .poweredOff(adapter: adapter.name)
            }
        }
    }

    /// The bus does not let us ask bluetoothd.
    private var isRefused: Bool { busError?.isRefusal == true }

    /// The adapter to work with; nil when it cannot be worked with.
    func workingAdapter(named name: String?) -> Adapter? {
        guard reach == .known, let adapter = adapter(named: name), adapter.isPowered else { return nil }
        return adapter
    }

    /// In CoreBluetooth's words.
    func state(adapter name: String?) -> ManagerState {
        switch reach {
        case .noBus where isRefused, .unknown where isRefused: .unauthorized
        case .noBus: busError == nil ? .unknown : .resetting
        case .noDaemon: .resetting
        case .unknown: .unknown
        case .known: adapter(named: name).map { $0.isPowered ? .poweredOn : .poweredOff } ?? .unsupported
        }
    }

    func device(_ address: String, on adapter: String) -> String? {
        tree.paths(with: Interface.device, below: adapter).first { path in
            tree[path, Interface.device]?["Address"]?.string?.uppercased() == address.uppercased()
        }
    }

    func peripherals(on adapter: String) -> [Discovery] {
        tree.paths(with: Interface.device, below: adapter).compactMap { path in
            tree[path, Interface.device].flatMap(Discovery.init)
        }
    }
}

extension Discovery {
    init?(_ device: ObjectTree.Properties) {
        guard let address = device["Address"]?.string else { return nil }
        let rssi = device["RSSI"]?.integer.flatMap { Int16(exactly: $0) }
        let isConnected = Self.isConnected(device)
        self.init(
            address: address, name: device["Name"]?.string?.plain(), rssi: rssi == Self.notAvailable ? nil : rssi,
            services: (device["UUIDs"]?.strings ?? []).compactMap { BluetoothUUID($0) }, isConnected: isConnected,
            isInSight: isConnected || rssi != nil, manufacturerData: Self.manufacturerData(device["ManufacturerData"]),
            serviceData: Self.serviceData(device["ServiceData"]),
            txPower: device["TxPower"]?.integer.flatMap { Int8(exactly: $0) }.map { Int16($0) })
    }

    /// `a{qv}`, each value an array of bytes; what is something else is left out.
    private static func manufacturerData(_ value: DBusValue?) -> [UInt16: [UInt8]] {
        (value?.dictionary ?? [:]).reduce(into: [:]) { data, entry in
            guard let company = entry.key.integer.flatMap({ UInt16(exactly: $0) }), let bytes = entry.value.bytes
            else { return }
            data[company] = bytes
        }
    }

    /// `a{sv}`, each value an array of bytes; what is something else is left out.
    private static func serviceData(_ value: DBusValue?) -> [BluetoothUUID: [UInt8]] {
        (value?.properties ?? [:]).reduce(into: [:]) { data, entry in
            guard let uuid = BluetoothUUID(entry.key), let bytes = entry.value.bytes else { return }
            data[uuid] = bytes
        }
    }

    /// The RSSI of a controller that does not know it (Core Specification, Vol 4, Part E, 7.7.65.2).
    private static let notAvailable: Int16 = 127

    /// bluetoothd 5.66 does not always signal that a device is connected: its `att_connect_cb` may have noted it
    /// before what signals it, `device_add_connection`, comes to it. It always signals when the services are known,
    /// and the end.
    static func isConnected(_ device: ObjectTree.Properties) -> Bool {
        device["Connected"]?.boolean == true || device["ServicesResolved"]?.boolean == true
    }
}

extension BusError {
    /// The reason without the part that ``CentralError`` adds itself.
    fileprivate var reason: String {
        switch self {
        case .disconnected(let why): why
        case .refused(_, let message) where isRefusal && !message.isEmpty: message
        case .noOwner, .timedOut, .cancelled, .refused, .unreadable: description
        }
    }
}
