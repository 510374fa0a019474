package import OkaeriDBus

/// The part of the simulated bluetoothd that pairs.
extension Bluetoothd {
    package nonisolated func exportPairing(on bus: Bus) async throws -> [BusExport] {
        let adapter = BusInterface(
            "org.bluez.Adapter1",
            methods: [
                .init("RemoveDevice", takes: ["o"]) { call in
                    let device = call.arguments[0].string ?? ""
                    self.pairing.change {
                        $0.devices[device] = nil
                        $0.calls.append("RemoveDevice")
                    }
                    return .success([])
                }
            ])
        let properties = BusInterface(
            "org.freedesktop.DBus.Properties",
            methods: [
                .init("Set", takes: ["s", "s", "v"]) { call in
                    self.pairing.change { $0.isPairable = call.arguments[2].boolean ?? false }
                    return .success([])
                }
            ])
        let agents = BusInterface(
            "org.bluez.AgentManager1",
            methods: [
                .init("RegisterAgent", takes: ["o", "s"]) { call in
                    self.pairing.change {
                        $0.agent = Registered(sender: call.sender, path: call.arguments[0].string ?? "")
                        $0.capability = call.arguments[1].string
                    }
                    return .success([])
                },
                .init("RequestDefaultAgent", takes: ["o"]) { _ in
                    self.pairing.change { $0.isDefault = true }
                    return .success([])
                },
                .init("UnregisterAgent", takes: ["o"]) { _ in
                    self.pairing.change { ($0.agent, $0.isDefault) = (nil, false) }
                    return .success([])
                },
            ])
        return [
            try await bus.export(adapter, at: Self.adapter), try await bus.export(properties, at: Self.adapter),
            try await bus.export(agents, at: "/org/bluez"),
        ]
    }

    /// A device appears or changes.
    package func device(_ name: String, _ properties: [String: DBusValue]) async throws {
        let path = "\(Self.adapter)/dev_\(name)"
        let isNew = pairing.change { pairing in
            let isNew = pairing.devices[path] == nil
            pairing.devices[path, default: [:]].merge(properties) { _, new in new }
            return isNew
        }
        guard isNew else {
            return try await signal(properties, of: "org.bluez.Device1", at: path)
        }
        let interfaces = DBusValue.dictionary(
            key: "s", value: "a{sv}", [.string("org.bluez.Device1"): .properties(properties)])
        try await emitAdded(path, interfaces)
    }

    /// A device requests to pair, with a number to compare or without one. Returns whether it may.
    package func request(from name: String, number: UInt32?) async throws -> Bool {
        let path = DBusValue.objectPath("\(Self.adapter)/dev_\(name)")
        return try await requestAgent(
            number == nil ? "RequestAuthorization" : "RequestConfirmation",
            [path] + (number.map { [.uint32($0)] } ?? []))
    }

    /// Calls the agent. Returns whether it agrees.
    package func requestAgent(_ method: String, _ arguments: [DBusValue]) async throws -> Bool {
        guard let agent = pairing.value.agent else { return false }
        do throws(BusError) {
            _ = try await callOut(agent, "org.bluez.Agent1", method, arguments)
            return true
        } catch .refused(name: "org.bluez.Error.Rejected", _) {
            return false
        }
    }
}
