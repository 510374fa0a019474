import Glibc

/// The Wi-Fi devices of the machine as sysfs shows them, and whether an adapter shares its antenna with one.
struct WiFiHardware: Sendable {
    /// `/sys/class`; a test has its own.
    private let classes: String

    init() {
        self.init(classes: "/sys/class")
    }

    init(classes: String) {
        self.classes = classes
    }

    /// Whether the kernel drives a Wi-Fi device, of whatever manager.
    var isPresent: Bool { !devices.isEmpty }

    private var devices: [String] { SystemFile.names("\(classes)/ieee80211").map { "\(classes)/ieee80211/\($0)" } }

    /// Whether a USB adapter is a stick with an antenna of its own.
    ///
    /// Many laptops and small computers have a card that is Wi-Fi on PCI or USB and Bluetooth on an internal USB port, with common
    /// antennas. The firmware declares such a port as fixed, but not on every machine: where sysfs does not know it, a Wi-Fi
    /// device on PCI makes the adapter suspect. A stick can have both functions, too: then one USB device has both.
    func isStick(_ adapter: String) -> Bool {
        // The adapter's device is an interface of the USB device.
        let device = "\(classes)/bluetooth/\(adapter)/device/.."
        guard let path = Self.resolved(device) else { return false }
        if devices.contains(where: { Self.resolved("\($0)/device/..") == path }) { return false }
        switch SystemFile.text("\(device)/removable")?.trimmed {
        case "fixed": return false
        case "removable": return true
        default: return !devices.contains { Self.resolved("\($0)/device/subsystem")?.hasSuffix("/pci") ?? false }
        }
    }

    private static func resolved(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        // Safe: realpath ends its result with a zero.
        return unsafe String(cString: resolved)
    }
}

extension String {
    fileprivate var trimmed: Substring { prefix { $0 != "\n" } }
}
