import BlueZ

/// The conversation of `okaeri connect` with a peripheral.
struct PeripheralExchange: Sendable {
    let address: String
    let service: BluetoothUUID?
    let writes: [ValueToWrite]
    let commands: [ValueToWrite]
    let reads: [CharacteristicSelector]
    let subscriptions: [CharacteristicSelector]
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
        for (values, type, property) in [
            (writes, WriteType.withResponse, CharacteristicProperty.write),
            (commands, .withoutResponse, .writeWithoutResponse),
        ] {
            for value in values {
                let characteristic = try characteristic(value.characteristic, of: peripheral, with: [property])
                try await peripheral.writeValue(value.value, for: characteristic, type: type)
                try speaker.value(value.value, of: characteristic, at: address, "didWriteValue")
            }
        }
        for selector in reads {
            let characteristic = try characteristic(selector, of: peripheral, with: [.read])
            let value = try await peripheral.readValue(for: characteristic)
            try speaker.value(value, of: characteristic, at: address, "didReadValue")
        }
        guard !subscriptions.isEmpty else { return }
        try await listen(to: peripheral, by: central)
    }

    /// Returns a characteristic of the service of the conversation, unless the selector has its own.
    private func characteristic(
        _ selector: CharacteristicSelector, of peripheral: Peripheral, with properties: Set<CharacteristicProperty>
    ) throws(CentralError) -> Characteristic {
        var selector = selector
        selector.service = selector.service ?? service
        return try peripheral.characteristic(selector, with: properties)
    }

    /// Prints values until it is cancelled.
    private func listen(to peripheral: Peripheral, by central: CentralManager) async throws {
        let characteristics = try subscriptions.map {
            try characteristic($0, of: peripheral, with: [.notify, .indicate])
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for characteristic in characteristics {
                group.addTask {
                    for try await value in peripheral.values(for: characteristic, acrossReconnections: true) {
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
                    case .didDisconnect(_, _, let reason): try speaker.disconnected(peripheral, reason)
                    case .didFailToConnect(_, _, let reason): try speaker.failed(peripheral, reason)
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
