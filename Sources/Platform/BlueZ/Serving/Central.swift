import DBus

/// A device that reads or writes here. CoreBluetooth's `CBCentral`.
public struct Central: Sendable, Hashable {
    /// bluetoothd's object of it: the same for as long as bluetoothd knows it.
    public let identifier: String

    /// The maximum length of a value in a notification to it, in bytes.
    public let maximumUpdateValueLength: Int

    /// The least that every link can carry (Core Specification, Vol 3, Part G, 5.2.1).
    private static let leastMTU = 23

    /// The Bluetooth address, which may rotate: `AA:BB:CC:DD:EE:FF`; the identifier where that names none.
    public var address: String {
        let name = identifier.split(separator: "/").last ?? ""
        guard name.hasPrefix("dev_") else { return identifier }
        return String(name.dropFirst(4).map { $0 == "_" ? ":" : $0 })
    }

    /// - Parameter options: of `ReadValue` or `WriteValue`.
    init(_ options: [String: DBusValue]) {
        identifier = options["device"]?.string ?? ""
        maximumUpdateValueLength = max(options["mtu"]?.integer ?? 0, Self.leastMTU) - 3
    }
}
