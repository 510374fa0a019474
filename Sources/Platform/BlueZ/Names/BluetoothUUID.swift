import OkaeriPlumbing

/// A UUID of a service, a characteristic or a descriptor (Core Specification, Vol 3, Part B, 2.5.1).
///
/// Those that the Bluetooth SIG has assigned are 16 or 32 bits long and stand for a UUID of 128 bits, with the Base UUID
/// around them. Two that stand for the same are equal, however they were written.
public struct BluetoothUUID: Sendable, Hashable {
    private let high: UInt64
    private let low: UInt64

    /// xxxxxxxx-0000-1000-8000-00805F9B34FB.
    private static let base: (high: UInt64, low: UInt64) = (0x0000_0000_0000_1000, 0x8000_0080_5F9B_34FB)

    /// One that was assigned by the Bluetooth SIG.
    public init(_ assigned: UInt32) {
        self.init(high: UInt64(assigned) << 32 | Self.base.high, low: Self.base.low)
    }

    /// One of 128 bits, most significant first.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads 4, 8 or 32 hexadecimal digits: `180F`, `0000180F`, `0000180F-0000-1000-8000-00805F9B34FB`. Upper and lower
    /// case are the same; the hyphens stand where they belong, or not at all; `0x` may stand before a short one.
    public init?(_ text: some StringProtocol) {
        if let (high, low) = UUIDText.halves(text) {
            self.init(high: high, low: low)
        } else {
            let digits = text.hasPrefix("0x") || text.hasPrefix("0X") ? text.dropFirst(2) : text[...]
            guard [4, 8].contains(digits.utf8.count), let assigned = UInt32(hexadecimal: digits) else { return nil }
            self.init(assigned)
        }
    }

    /// The number that the Bluetooth SIG has assigned, if it is one of theirs.
    public var assigned: UInt32? {
        guard low == Self.base.low, high & 0xFFFF_FFFF == Self.base.high else { return nil }
        return UInt32(high >> 32)
    }

    /// All of its 128 bits, as D-Bus carries them: `0000180f-0000-1000-8000-00805f9b34fb`.
    public var full: String { UUIDText.text(high: high, low: low, uppercase: false) }
}

extension BluetoothUUID: CustomStringConvertible {
    /// As short as it can be: `180F`, or all 128 bits.
    public var description: String {
        guard let assigned else { return full.uppercased() }
        return hexadecimal(assigned, prefix: "", digits: assigned > 0xFFFF ? 8 : 4)
    }
}

/// Names that the Bluetooth SIG has given (Assigned Numbers, 3.4 and 3.8): of what is met at home.
extension BluetoothUUID {
    /// The name of a service with this UUID; `nil` if it has no name here.
    public var serviceName: String? { name(in: Self.services) }

    /// The name of a characteristic with this UUID; `nil` if it has no name here.
    public var characteristicName: String? { name(in: Self.characteristics) }

    private func name(in names: [UInt16: String]) -> String? {
        assigned.flatMap { UInt16(exactly: $0) }.flatMap { names[$0] }
    }

    private static let services: [UInt16: String] = [
        0x1800: "Generic Access", 0x1801: "Generic Attribute", 0x1802: "Immediate Alert", 0x1803: "Link Loss",
        0x1804: "Tx Power", 0x1805: "Current Time", 0x1806: "Reference Time Update", 0x1808: "Glucose",
        0x1809: "Health Thermometer", 0x180A: "Device Information", 0x180D: "Heart Rate",
        0x180E: "Phone Alert Status", 0x180F: "Battery", 0x1810: "Blood Pressure", 0x1811: "Alert Notification",
        0x1812: "Human Interface Device", 0x1813: "Scan Parameters", 0x1814: "Running Speed and Cadence",
        0x1815: "Automation IO", 0x1816: "Cycling Speed and Cadence", 0x1818: "Cycling Power",
        0x1819: "Location and Navigation", 0x181A: "Environmental Sensing", 0x181B: "Body Composition",
        0x181C: "User Data", 0x181D: "Weight Scale", 0x181E: "Bond Management", 0x1820: "Internet Protocol Support",
        0x1821: "Indoor Positioning", 0x1822: "Pulse Oximeter", 0x1826: "Fitness Machine", 0x1827: "Mesh Provisioning",
        0x1828: "Mesh Proxy", 0x183B: "Binary Sensor", 0x1843: "Audio Input Control", 0x1844: "Volume Control",
        0x1848: "Media Control", 0x184E: "Audio Stream Control", 0x1854: "Hearing Access",
    ]

    private static let characteristics: [UInt16: String] = [
        // Generic Access, Generic Attribute
        0x2A00: "Device Name", 0x2A01: "Appearance", 0x2A02: "Peripheral Privacy Flag", 0x2A03: "Reconnection Address",
        0x2A04: "Peripheral Preferred Connection Parameters", 0x2AA6: "Central Address Resolution",
        0x2AC9: "Resolvable Private Address Only", 0x2A05: "Service Changed", 0x2B29: "Client Supported Features",
        0x2B2A: "Database Hash", 0x2B3A: "Server Supported Features",
        // Proximity and battery
        0x2A06: "Alert Level", 0x2A07: "Tx Power Level", 0x2A19: "Battery Level", 0x2BED: "Battery Level Status",
        // Time
        0x2A08: "Date Time", 0x2A0F: "Local Time Information", 0x2A14: "Reference Time Information",
        0x2A2B: "Current Time",
        // Device Information
        0x2A23: "System ID", 0x2A24: "Model Number String", 0x2A25: "Serial Number String",
        0x2A26: "Firmware Revision String", 0x2A27: "Hardware Revision String", 0x2A28: "Software Revision String",
        0x2A29: "Manufacturer Name String", 0x2A2A: "IEEE 11073-20601 Regulatory Certification Data List",
        0x2A50: "PnP ID",
        // Human interface devices
        0x2A22: "Boot Keyboard Input Report", 0x2A31: "Scan Refresh", 0x2A32: "Boot Keyboard Output Report",
        0x2A33: "Boot Mouse Input Report", 0x2A4A: "HID Information", 0x2A4B: "Report Map",
        0x2A4C: "HID Control Point", 0x2A4D: "Report", 0x2A4E: "Protocol Mode", 0x2A4F: "Scan Interval Window",
        // Health and sport
        0x2A18: "Glucose Measurement", 0x2A1C: "Temperature Measurement", 0x2A1D: "Temperature Type",
        0x2A1E: "Intermediate Temperature", 0x2A21: "Measurement Interval", 0x2A35: "Blood Pressure Measurement",
        0x2A37: "Heart Rate Measurement", 0x2A38: "Body Sensor Location", 0x2A39: "Heart Rate Control Point",
        0x2A53: "RSC Measurement", 0x2A5B: "CSC Measurement", 0x2A63: "Cycling Power Measurement",
        0x2A98: "Weight", 0x2A9B: "Body Composition Feature", 0x2A9C: "Body Composition Measurement",
        0x2A9D: "Weight Measurement", 0x2A9E: "Weight Scale Feature",
        // Alerts
        0x2A3F: "Alert Status", 0x2A40: "Ringer Control Point", 0x2A41: "Ringer Setting",
        0x2A44: "Alert Notification Control Point", 0x2A45: "Unread Alert Status", 0x2A46: "New Alert",
        // Environmental Sensing and automation
        0x2A56: "Digital", 0x2A58: "Analog", 0x2A6C: "Elevation", 0x2A6D: "Pressure", 0x2A6E: "Temperature",
        0x2A6F: "Humidity", 0x2A70: "True Wind Speed", 0x2A72: "Apparent Wind Speed", 0x2A75: "Pollen Concentration",
        0x2A76: "UV Index", 0x2A77: "Irradiance", 0x2A78: "Rainfall", 0x2A79: "Wind Chill", 0x2A7A: "Heat Index",
        0x2A7B: "Dew Point", 0x2A7D: "Descriptor Value Changed", 0x2AA3: "Barometric Pressure Trend",
        0x2AFB: "Illuminance", 0x2B8C: "CO\u{2082} Concentration", 0x2BE7: "VOC Concentration",
        0x2BD6: "Particulate Matter - PM2.5 Concentration",
    ]
}
