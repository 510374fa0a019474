import BlueZ
import Glibc

/// Prints a line on standard error.
func printError(_ text: String) {
    let line = "\(text)\n"
    _ = write(STDERR_FILENO, line, line.utf8.count)
}

guard let address = CommandLine.arguments.dropFirst().first else {
    printError("usage: ReadBattery ADDRESS")
    exit(EX_USAGE)
}

try await withCentralManager { central in
    let peripheral = try await central.connect(address)
    let battery = try peripheral.characteristic(BluetoothUUID(0x2A19))
    print("now:", try await peripheral.readValue(for: battery))
    for try await level in peripheral.values(for: battery) { print("then:", level) }
}
