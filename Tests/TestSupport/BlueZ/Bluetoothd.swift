package import OkaeriDBus

/// A simulated bluetoothd for peripherals: it takes services and advertisements, reads them as the real one does, and
/// plays centrals. One connection to the bus is one life of it.
package actor Bluetoothd {
    /// The registered objects.
    package struct Registered: Equatable {
        package let sender: String
        package let path: String
        /// The object of the adapter; empty for an agent, which all adapters have.
        package var adapter = ""
    }

    /// The objects that are registered at present, with their properties.
    package struct Registrations: Sendable {
        package var advertisements: [(Registered, [String: DBusValue])] = []
        package var applications: [(Registered, [String: [String: [String: DBusValue]]])] = []

        /// Returns the paths of the characteristics and descriptors with this UUID, in their order.
        package func paths(of uuid: String) -> [String] {
            let objects = applications.last?.1 ?? [:]
            return objects.filter { _, interfaces in
                ["org.bluez.GattCharacteristic1", "org.bluez.GattDescriptor1"].contains {
                    interfaces[$0]?["UUID"]?.string == uuid
                }
            }.keys.sorted()
        }

        /// Returns the first path of a UUID, or the path itself; `nil` if it is not offered.
        package func path(of name: String) -> String? { name.hasPrefix("/") ? name : paths(of: name).first }

        /// Returns the properties of an object with this interface.
        package func properties(_ interface: String, at path: String) -> [String: DBusValue]? {
            applications.last?.1[path]?[interface]
        }
    }

    package static let adapter = "/org/bluez/hci0"

    /// The adapter that ``plugIn(_:)`` can add.
    package static let secondAdapter = "/org/bluez/hci1"

    package nonisolated let registrations = Watched(Registrations())

    private let bus: Bus
    private var exports: [BusExport] = []
    private var powered: Set<String>
    private var adapters: Set<String>
    package var advertisements: [(Registered, [String: DBusValue])] { registrations.value.advertisements }
    package var applications: [(Registered, [String: [String: [String: DBusValue]]])] {
        registrations.value.applications
    }

    /// Every registration and its end, in their order: `RegisterAdvertisement`, …
    package private(set) var calls: [String] = []

    /// The refusals of the next registrations.
    private var refusals: [BusInterface.Refusal] = []

    /// The state of pairing.
    package struct Pairing: Sendable, Equatable {
        package var isPairable = false
        package var agent: Registered?
        package var capability: String?
        package var isDefault = false
        /// The devices with their properties.
        package var devices: [String: [String: DBusValue]] = [:]
        package var calls: [String] = []

        package init(capability: String? = nil) { self.capability = capability }
    }

    package nonisolated let pairing = Watched(Pairing())

    package init(_ address: String, isPowered: Bool = true, hasAdapter: Bool = true) async throws {
        bus = try await Bus.connect(address: address)
        powered = isPowered ? [Self.adapter, Self.secondAdapter] : []
        adapters = hasAdapter ? [Self.adapter] : []
        try await serve()
        _ = try await bus.call(
            "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "RequestName", [.string("org.bluez"), .uint32(0)])
    }

    /// Ends it, with all that is registered.
    package func end() async {
        await bus.close()
        exports = []
    }

    private func serve() async throws {
        let objects = BusInterface(
            "org.freedesktop.DBus.ObjectManager",
            methods: [
                .init("GetManagedObjects", returns: ["a{oa{sa{sv}}}"]) { _ in .success([await self.objects]) }
            ])
        exports = try await exportPairing(on: bus)
        exports += [
            try await bus.export(objects, at: "/")
        ]
        for adapter in [Self.adapter, Self.secondAdapter] {
            exports += [
                try await bus.export(manager("LEAdvertisingManager1", "Advertisement", adapter), at: adapter),
                try await bus.export(manager("GattManager1", "Application", adapter), at: adapter),
            ]
        }
    }

    private func manager(_ name: String, _ kind: String, _ adapter: String) -> BusInterface {
        BusInterface(
            "org.bluez.\(name)",
            methods: [
                .init("Register\(kind)", takes: ["o", "a{sv}"]) { await self.register(kind, $0, adapter) },
                .init("Unregister\(kind)", takes: ["o"]) { await self.unregister(kind, $0, adapter) },
            ])
    }

    private func interfaces(of adapter: String) -> DBusValue {
        .dictionary(
            key: "s", value: "a{sv}",
            [
                .string("org.bluez.Adapter1"): .properties([
                    "Powered": .boolean(powered.contains(adapter)), "Pairable": .boolean(pairing.value.isPairable),
                ]),
                .string("org.bluez.LEAdvertisingManager1"): .properties([:]),
                .string("org.bluez.GattManager1"): .properties([:]),
            ])
    }

    private var objects: DBusValue {
        let paths = adapters.map { (DBusValue.objectPath($0), interfaces(of: $0)) }
        let devices = pairing.value.devices.map { path, properties in
            (
                DBusValue.objectPath(path),
                DBusValue.dictionary(
                    key: "s", value: "a{sv}", [.string("org.bluez.Device1"): .properties(properties)])
            )
        }
        return .dictionary(key: "o", value: "a{sa{sv}}", Dictionary(uniqueKeysWithValues: paths + devices))
    }

    private func register(
        _ kind: String, _ call: BusInterface.Call, _ adapter: String
    ) async -> Result<[DBusValue], BusInterface.Refusal> {
        calls.append("Register\(kind)")
        if !refusals.isEmpty { return .failure(refusals.removeFirst()) }
        let registered = Registered(sender: call.sender, path: call.arguments.first?.string ?? "", adapter: adapter)
        guard powered.contains(adapter) else { return .failure(.init("org.bluez.Error.Failed", "not powered")) }
        let isKnown = (advertisements.map(\.0) + applications.map(\.0)).contains(registered)
        guard !isKnown else { return .failure(.init("org.bluez.Error.AlreadyExists", "Already Exists")) }
        do {
            if kind == "Advertisement" {
                let properties = try await properties(registered)
                registrations.change { $0.advertisements.append((registered, properties)) }
            } else {
                let objects = try await managedObjects(registered)
                registrations.change { $0.applications.append((registered, objects)) }
            }
            return .success([])
        } catch {
            return .failure(.init("org.bluez.Error.Failed", "\(error)"))
        }
    }

    private func unregister(
        _ kind: String, _ call: BusInterface.Call, _ adapter: String
    ) -> Result<[DBusValue], BusInterface.Refusal> {
        calls.append("Unregister\(kind)")
        let registered = Registered(sender: call.sender, path: call.arguments.first?.string ?? "", adapter: adapter)
        registrations.change { registrations in
            registrations.advertisements.removeAll { $0.0 == registered }
            registrations.applications.removeAll { $0.0 == registered }
        }
        return .success([])
    }

    private func properties(_ registered: Registered) async throws -> [String: DBusValue] {
        let answer = try await bus.call(
            registered.sender, registered.path, "org.freedesktop.DBus.Properties", "GetAll",
            [.string("org.bluez.LEAdvertisement1")])
        return answer.first?.properties ?? [:]
    }

    private func managedObjects(_ registered: Registered) async throws -> [String: [String: [String: DBusValue]]] {
        let answer = try await bus.call(
            registered.sender, registered.path, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
        let objects = answer.first?.dictionary ?? [:]
        return objects.reduce(into: [:]) { found, entry in
            guard let path = entry.key.string else { return }
            for (interface, properties) in entry.value.dictionary ?? [:] {
                found[path, default: [:]][interface.string ?? ""] = properties.properties
            }
        }
    }
}

// MARK: What happens to it

extension Bluetoothd {
    /// The next registrations are refused.
    package func refuse(_ name: String, times: Int = 1) {
        refusals += Array(repeating: .init(name, "because"), count: times)
    }

    /// The adapter is switched off or on. Like the real one it keeps its services.
    package func power(_ isOn: Bool, _ adapter: String = Bluetoothd.adapter) async throws {
        if isOn { powered.insert(adapter) } else { powered.remove(adapter) }
        try await bus.changed(["Powered": .boolean(isOn)], of: "org.bluez.Adapter1", at: adapter)
    }

    /// The adapter is unplugged.
    package func unplug() async throws {
        adapters = []
        registrations.change { $0 = Registrations() }
        let interfaces = ["org.bluez.Adapter1", "org.bluez.LEAdvertisingManager1", "org.bluez.GattManager1"]
        try await bus.emit(
            "org.freedesktop.DBus.ObjectManager", "InterfacesRemoved", at: "/",
            [.objectPath(Self.adapter), .strings(interfaces)])
    }

    /// An adapter is plugged in.
    package func plugIn(_ adapter: String = Bluetoothd.adapter) async throws {
        adapters.insert(adapter)
        try await emitAdded(adapter, interfaces(of: adapter))
    }

    /// A central connects that it has not known before.
    package func connect(_ central: String) async throws {
        let interfaces = DBusValue.dictionary(
            key: "s", value: "a{sv}",
            [.string("org.bluez.Device1"): .properties(["Connected": .boolean(true)])])
        try await bus.emit(
            "org.freedesktop.DBus.ObjectManager", "InterfacesAdded", at: "/",
            [.objectPath("\(Self.adapter)/dev_\(central)"), interfaces])
    }

    /// It ends the advertisement by itself.
    package func release() async throws {
        let released = registrations.change { $0.advertisements.removeFirst().0 }
        _ = try await bus.call(released.sender, released.path, "org.bluez.LEAdvertisement1", "Release")
    }
}

// MARK: For pairing

extension Bluetoothd {
    package func signal(_ properties: [String: DBusValue], of interface: String, at path: String) async throws {
        try await bus.changed(properties, of: interface, at: path)
    }

    package func emitAdded(_ path: String, _ interfaces: DBusValue) async throws {
        try await bus.emit(
            "org.freedesktop.DBus.ObjectManager", "InterfacesAdded", at: "/", [.objectPath(path), interfaces])
    }

    package func callOut(
        _ target: Registered, _ interface: String, _ method: String, _ arguments: [DBusValue]
    ) async throws(BusError) -> [DBusValue] {
        try await bus.call(target.sender, target.path, interface, method, arguments, within: .seconds(120))
    }
}

// MARK: Centrals

extension Bluetoothd {
    /// Whether a program advertises. Like the real one, it sends no advertisement of a program that has left the bus.
    package var isAdvertising: Bool {
        get async throws {
            for (registered, _) in advertisements {
                let answer = try await bus.call(
                    "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "NameHasOwner", [.string(registered.sender)],
                    within: .seconds(120))
                if answer.first?.boolean == true { return true }
            }
            return false
        }
    }

    package func path(of name: String) -> String? { registrations.value.path(of: name) }

    package func paths(of uuid: String) -> [String] { registrations.value.paths(of: uuid) }

    /// A central reads, from an offset.
    ///
    /// - Parameter name: The UUID of a characteristic or descriptor, or its path.
    package func read(_ name: String, by central: String = "AA_00_00_00_00_01", from offset: Int = 0, mtu: UInt16 = 23)
        async throws -> [UInt8]
    {
        // bluetoothd sends none below zero; other programs on the bus may.
        let value = UInt16(exactly: offset).map(DBusValue.uint16) ?? .int32(Int32(offset))
        let options = offset == 0 ? [:] : ["offset": value]
        return try await ask("ReadValue", name, [], central, options, mtu).first?.bytes ?? []
    }

    /// A central writes.
    package func write(_ value: [UInt8], to name: String, by central: String = "AA_00_00_00_00_01", at offset: Int = 0)
        async throws
    {
        let options = offset == 0 ? [:] : ["offset": DBusValue.uint16(UInt16(offset))]
        _ = try await ask("WriteValue", name, [.bytes(value)], central, options, 23)
    }

    private func ask(
        _ method: String, _ name: String, _ arguments: [DBusValue], _ central: String, _ options: [String: DBusValue],
        _ mtu: UInt16
    ) async throws -> [DBusValue] {
        var options = options
        options["device"] = .objectPath("\(Self.adapter)/dev_\(central)")
        options["link"] = .string("LE")
        options["mtu"] = .uint16(mtu)
        return try await callOut(method, name, arguments + [.properties(options)])
    }

    /// A central subscribes. Like the real one, it names none of them.
    package func subscribe(to name: String) async throws { _ = try await callOut("StartNotify", name) }

    /// The last subscribed central unsubscribes or leaves.
    package func unsubscribe(from name: String) async throws { _ = try await callOut("StopNotify", name) }

    /// Calls a method of a characteristic or descriptor of the last application.
    private func callOut(_ method: String, _ name: String, _ arguments: [DBusValue] = []) async throws -> [DBusValue] {
        let path = path(of: name) ?? "/"
        let kind = path.contains("/desc") ? "GattDescriptor1" : "GattCharacteristic1"
        return try await bus.call(applications.last?.0.sender ?? "", path, "org.bluez.\(kind)", method, arguments)
    }

    /// The values that the characteristic notifies from now on.
    package func notifications(of name: String) async throws -> AsyncStream<BusSignal> {
        try await bus.signals([
            SignalMatch(
                sender: applications.last?.0.sender, interface: "org.freedesktop.DBus.Properties",
                member: "PropertiesChanged", path: path(of: name))
        ])
    }
}
