import BlueZ
import Glibc

// Finds a peripheral with a battery, connects it, reads the level and subscribes to it, also after a loss of the connection.

let batteryService = BluetoothUUID(0x180F), batteryLevel = BluetoothUUID(0x2A19)

/// Prints a line on standard error.
func printError(_ text: String) {
    let line = "\(text)\n"
    _ = write(STDERR_FILENO, line, line.utf8.count)
}

/// Returns the address of the first peripheral in range that advertises a battery service; `nil` after 20 seconds without one.
func scan(_ central: CentralManager) async throws -> String? {
    try await withThrowingTaskGroup(of: String?.self) { group in
        group.addTask {
            for try await discovery in central.scanForPeripherals(withServices: [batteryService])
            where discovery.isInSight {
                return discovery.address
            }
            return nil
        }
        group.addTask {
            try await Task.sleep(for: .seconds(20))
            return nil
        }
        defer { group.cancelAll() }
        return try await group.next() ?? nil
    }
}

do {
    try await withCentralManager { central in
        let argument = CommandLine.arguments.dropFirst().first
        let found = if let argument { argument as String? } else { try await scan(central) }
        guard let address = found else {
            printError("no peripheral with a battery service is in range; usage: ReadBattery [ADDRESS]")
            exit(EX_UNAVAILABLE)
        }
        let peripheral = try await central.connect(address)
        let battery = try peripheral.characteristic(batteryLevel, in: batteryService)
        print("\(peripheral.name ?? address):", try await peripheral.readValue(for: battery))

        // Whenever the peripheral is lost, it is connected again as soon as it is in range.
        let reconnection = Task {
            for await event in central.connections(to: .address(address)) { printError("\(event)") }
        }
        defer { reconnection.cancel() }
        for try await level in peripheral.values(for: battery, acrossReconnections: true) { print("now:", level) }
    }
} catch {
    printError("\(error)")
    exit(EX_UNAVAILABLE)
}
