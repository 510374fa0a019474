import BlueZ
import FoundationEssentials

/// What `okaeri peripherals` tells of a peripheral, as JSON.
struct PeripheralReport: Encodable {
    var event: String
    var address: String
    var name: String?
    /// In dBm.
    var rssi: Int16?
    var connected: Bool
    var services: [String]

    init(_ discovery: Discovery) {
        event = discovery.isInSight ? "didDiscoverPeripheral" : "didLosePeripheral"
        address = discovery.address
        name = discovery.name
        rssi = discovery.rssi
        connected = discovery.isConnected
        services = discovery.services.map(\.description)
    }
}

extension Encodable {
    /// As a JSON object on one line.
    var line: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // What is told holds nothing that JSON has no word for.
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}
