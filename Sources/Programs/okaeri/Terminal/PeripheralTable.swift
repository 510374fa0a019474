import BlueZ
import OkaeriPlumbing

/// The peripherals in the air, as a table that fits a terminal.
struct PeripheralTable {
    typealias Instant = ContinuousClock.Instant

    /// The shortest interval at which values that change with every advertisement are shown, such as the RSSI and a
    /// sensor's data.
    private static let interval = Duration.seconds(1)

    private var peripherals: [String: (discovery: Discovery, shown: Instant)] = [:]

    /// Takes what was found. Returns whether it is worth being shown now.
    mutating func take(_ discovery: Discovery, at now: Instant) -> Bool {
        guard discovery.isInSight else { return peripherals.removeValue(forKey: discovery.address) != nil }
        var (before, shown) = peripherals[discovery.address] ?? (discovery, now - Self.interval)
        before.rssi = discovery.rssi
        before.manufacturerData = discovery.manufacturerData
        before.serviceData = discovery.serviceData
        let isDue = before != discovery || now - shown >= Self.interval
        peripherals[discovery.address] = (discovery, isDue ? now : shown)
        return isDue
    }

    /// The lines, the loudest first.
    func lines(columns: Int, rows: Int) -> [String] {
        let sorted = peripherals.values.map(\.discovery)
            .sorted { ($0.rssi ?? .min, $1.address) > ($1.rssi ?? .min, $0.address) }
        let room = max(1, rows - 3)
        let heading = "address".padding(to: 19) + "name".padding(to: 21) + " dBm  services"
        var lines = [heading] + sorted.prefix(room).map(line)
        if sorted.count > room { lines.append("… and \(sorted.count - room) more") }
        if sorted.isEmpty { lines.append("no peripheral received yet") }
        return lines.map { $0.cut(to: columns) }
    }

    private func line(_ discovery: Discovery) -> String {
        let rssi = discovery.rssi.map { "\($0)" } ?? "?"
        let services = discovery.services.map(\.serviceTitle).joined(separator: ", ")
        return discovery.address.padding(to: 19) + (discovery.name ?? "").padding(to: 21)
            + String(repeating: " ", count: max(0, 4 - rssi.count)) + rssi + "  "
            + (discovery.isConnected ? "connected  " : "") + services
    }
}
