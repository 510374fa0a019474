import BlueZ

/// A peripheral that has a battery and can be alerted.
enum Lamp {
    static let address = "DC:A6:32:01:02:03"
    static let battery = BluetoothUUID(0x180F)
    static let level = BluetoothUUID(0x2A19)
    static let alert = BluetoothUUID(0x2A06)
}

extension BlueZBench {
    /// The lamp is in the air.
    ///
    /// - Parameter isAnnounced: whether bluetoothd tells that it is connected.
    func lamp(isAnnounced: Bool = true) throws {
        let characteristics: [[String: Any]] = [
            ["uuid": Lamp.level.full, "flags": ["read", "notify"], "value": "64"],
            ["uuid": Lamp.alert.full, "flags": ["write", "write-without-response"], "value": "00"],
        ]
        try tell(
            "air",
            [
                "address": Lamp.address, "name": "lamp", "uuids": [Lamp.battery.full], "announced": isAnnounced,
                "services": [["uuid": Lamp.battery.full, "characteristics": characteristics]],
            ])
    }
}

/// What the work ends with; nil if it ends well.
func error(of work: () async throws -> Void) async -> CentralError? {
    do {
        try await work()
        return nil
    } catch {
        return error as? CentralError
    }
}
