import HCI
import OkaeriEvents
import OkaeriPlumbing
import OkaeriPresence
import RegionMonitoring

/// The phones in range as a table that fits a terminal, and as JSON lines.
enum PhoneTable {
    private static let heading =
        "phone".padding(to: 18) + "maker".padding(to: 8) + "address".padding(to: 19) + " dBm  "
        + "signal".padding(to: 11)
        + "every".padding(to: 9) + "age"
    private static let nothing = "no device with a resolvable private address received yet"

    /// The lines, configured phones first.
    static func lines(_ devices: [PhoneSurvey.Device], at now: Instant, columns: Int, rows: Int) -> [String] {
        let room = max(1, rows - 3)
        var lines = [heading] + devices.prefix(room).map { line($0, now) }
        if devices.count > room { lines.append("… and \(devices.count - room) more") }
        if devices.isEmpty { lines.append(nothing) }
        return lines.map { $0.cut(to: columns) }
    }

    private static func line(_ device: PhoneSurvey.Device, _ now: Instant) -> String {
        let rssi = device.rssi.map { "\($0)" } ?? "?"
        let interval = device.interval.map { "\(($0 * 10).rounded() / 10) s" } ?? "?"
        let age = (device.lastHeard.duration(to: now) / .seconds(1) * 10).rounded() / 10
        let columns = [
            (device.name ?? "").padding(to: 18), device.maker.rawValue.padding(to: 8),
            device.address.description.padding(to: 19), String(repeating: " ", count: max(0, 4 - rssi.count)), rssi,
            "  ",
            BeaconTable.bar(device.rssi).padding(to: 11), interval.padding(to: 9), "\(age) s",
        ]
        return columns.joined()
    }

    /// A device as one JSON object on one line.
    static func line(_ device: PhoneSurvey.Device, at time: String) -> String {
        let maker = device.maker == .other ? nil : device.maker.rawValue
        // In steps: as one sum it takes the compiler too long.
        var fields = EventField.text("time", time) + EventField.text("address", device.address.description)
        fields += EventField.text("phone", device.name) + EventField.text("maker", maker)
        fields += EventField.integer("rssi", device.rssi) + EventField.integer("count", device.count)
        if let interval = device.interval {
            fields.append(EventField("interval", .number((interval * 1000).rounded() / 1000)))
        }
        return fields.json
    }
}

extension PhoneSurvey.Device {
    /// The name of a configured phone.
    fileprivate var name: String? { file.flatMap { RegionSign(.phone(file: $0)).phoneName } }
}
