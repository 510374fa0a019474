import BlueZ

/// The conversation of `okaeri connect` with a peripheral.
struct PeripheralExchange: Sendable {
    let address: String
    let service: BluetoothUUID?
    let writes: [ValueToWrite]
    let commands: [ValueToWrite]
    let reads: [BluetoothUUID]
    let subscriptions: [BluetoothUUID]
    let speaker: PeripheralPrinter

    /// Has the whole conversation, and leaves the peripheral as it was found: connected, or not.
    func hold(by central: CentralManager) async throws {
        let wasConnected = try await central.knownPeripherals().contains { $0.address == address && $0.isConnected }
        do {
            try await speak(by: central)
        } catch {
            if !wasConnected { try? await central.cancelPeripheralConnection(address) }
            throw error
        }
        if !wasConnected { try await central.cancelPeripheralConnection(address) }
    }

    private func speak(by central: CentralManager) async throws {
        let peripheral = try await central.connect(address)
        try speaker.connected(peripheral)
        if writes.isEmpty, commands.isEmpty, reads.isEmpty, subscriptions.isEmpty {
            return try speaker.list(peripheral.services.filter { service == nil || $0.uuid == service }, of: peripheral)
        }
        for (values, type) in [(writes, WriteType.withResponse), (commands, .withoutResponse)] {
            for value in values {
                let characteristic = try peripheral.characteristic(value.characteristic, in: service)
                try await peripheral.writeValue(value.value, for: characteristic, type: type)
                try speaker.value(value.value, of: characteristic, at: address, "didWriteValue")
            }
        }
        for uuid in reads {
            let characteristic = try peripheral.characteristic(uuid, in: service)
            let value = try await peripheral.readValue(for: characteristic)
            try speaker.value(value, of: characteristic, at: address, "didReadValue")
        }
        guard !subscriptions.isEmpty else { return }
        try await listen(to: peripheral, by: central)
    }

    /// Prints values until it is cancelled.
    private func listen(to peripheral: Peripheral, by central: CentralManager) async throws {
        let characteristics = try subscriptions.map { try peripheral.characteristic($0, in: service) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for characteristic in characteristics {
                group.addTask {
                    for try await value in peripheral.values(for: characteristic) {
                        try speaker.value(value, of: characteristic, at: address, "didUpdateValue")
                    }
                }
            }
            group.addTask {
                // It was connected a moment ago, and that was printed.
                let remembered = CentralManager.Remembered(address: address, name: peripheral.name)
                for await event in central.connections(to: .address(address), remembered: remembered) {
                    switch event {
                    case .didConnect: try speaker.connected(peripheral)
                    case .didDisconnect: try speaker.disconnected(peripheral)
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
