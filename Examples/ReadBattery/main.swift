import BlueZ

guard let address = CommandLine.arguments.dropFirst().first else { fatalError("usage: ReadBattery ADDRESS") }

try await withCentralManager { central in
    let peripheral = try await central.connect(address)
    let battery = try peripheral.characteristic(BluetoothUUID(0x2A19))
    print("now:", try await peripheral.readValue(for: battery))
    for try await level in peripheral.values(for: battery) { print("then:", level) }
}
