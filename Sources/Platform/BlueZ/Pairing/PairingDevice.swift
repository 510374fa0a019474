import DBus
import Plumbing

/// A device that is connected or paired (`org.bluez.Device1`).
public struct PairingDevice: Sendable, Hashable {
    /// bluetoothd's object of it. It stays the same when the identity address becomes known.
    public let identifier: String

    /// The address `AA:BB:CC:DD:EE:FF`: after the pairing the identity address.
    public var address: String

    /// The name, without control characters.
    public var name: String?

    /// Whether the address is a resolvable private one, as those of phones are until they have paired.
    public var isResolvable: Bool

    /// Whether there is a connection.
    public var isConnected: Bool

    /// Whether it has paired with this machine.
    public var isPaired: Bool

    /// A device; bluetoothd's are in ``PairingSession/devices()``.
    public init(
        identifier: String, address: String, name: String? = nil, isResolvable: Bool = false, isConnected: Bool = false,
        isPaired: Bool = false
    ) {
        self.identifier = identifier
        self.address = address
        self.name = name
        self.isResolvable = isResolvable
        self.isConnected = isConnected
        self.isPaired = isPaired
    }
}

extension PairingDevice {
    init?(_ path: String, _ device: ObjectTree.Properties) {
        guard let address = device["Address"]?.string?.uppercased() else { return nil }
        // Its two highest bits are 01 (Core Specification, Vol 6, Part B, 1.3.2.2).
        let isPrivate = UInt8(address.prefix(2), radix: 16).map { $0 >> 6 == 0b01 } ?? false
        self.init(
            identifier: path, address: address, name: device["Name"]?.string?.plain(replacesFormat: true),
            isResolvable: isPrivate && device["AddressType"]?.string == "random",
            isConnected: Discovery.isConnected(device), isPaired: device["Paired"]?.boolean == true)
    }
}

/// A device's request to pair.
public struct PairingRequest: Sendable, Hashable {
    /// The device.
    public var device: PairingDevice

    /// The number that both sides show, six digits; `nil`: the device cannot show one.
    public var digits: String?
}

/// The means of this machine for comparing numbers (Core Specification, Vol 3, Part H, 2.3.2).
public enum PairingCapability: String, Sendable, Hashable {
    /// A person sees six digits, and confirms or rejects them.
    case displayYesNo = "DisplayYesNo"
    /// No person takes part.
    case noInputNoOutput = "NoInputNoOutput"
}
