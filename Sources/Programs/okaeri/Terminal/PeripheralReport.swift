import BlueZ
import FoundationEssentials
import OkaeriPlumbing

/// The report of `okaeri devices` about a peripheral, as JSON.
struct PeripheralReport: Encodable {
    var event: String
    var address: String
    var name: String?
    /// In dBm.
    var rssi: Int16?
    var connected: Bool
    var services: [String]
    /// By company identifier, four hexadecimal digits; the data hexadecimal too. Left out where there is none.
    var manufacturerData: [String: String]?
    /// By UUID; the data hexadecimal. Left out where there is none.
    var serviceData: [String: String]?
    /// In dBm.
    var txPower: Int16?

    init(_ discovery: Discovery) {
        event = discovery.isInSight ? "didDiscoverPeripheral" : "didLosePeripheral"
        address = discovery.address
        name = discovery.name
        rssi = discovery.rssi
        connected = discovery.isConnected
        services = discovery.services.map(\.description)
        let manufacturers = discovery.manufacturerData.map { company, data in
            ([UInt8(company >> 8), UInt8(company & 0xFF)].hexadecimal, data.hexadecimal)
        }
        manufacturerData = manufacturers.isEmpty ? nil : Dictionary(manufacturers) { first, _ in first }
        let described = discovery.serviceData.map { ($0.description, $1.hexadecimal) }
        serviceData = described.isEmpty ? nil : Dictionary(described) { first, _ in first }
        txPower = discovery.txPower
    }
}
