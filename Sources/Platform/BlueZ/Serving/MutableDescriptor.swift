/// A descriptor of an offered characteristic (Core Specification, Vol 3, Part G, 3.3.3): CoreBluetooth's `CBMutableDescriptor`.
///
/// bluetoothd makes the descriptors 0x2900 (extended properties) and 0x2902 (the subscriptions) itself.
public struct MutableDescriptor: Sendable {
    /// The type of the value.
    public let uuid: BluetoothUUID

    /// The conditions for reading and writing.
    public var permissions: MutableCharacteristic.Permissions

    /// Returns the value to a central that reads; `nil`: it cannot be read.
    public var read: MutableCharacteristic.Read?

    /// Takes the value that a central writes; `nil`: it cannot be written.
    public var write: MutableCharacteristic.Write?

    /// Creates a descriptor whose value the program returns and takes.
    ///
    /// - Parameters:
    ///   - uuid: The type of the value.
    ///   - permissions: The conditions for reading and writing.
    ///   - read: Returns the value to a central that reads; `nil`: it cannot be read.
    ///   - write: Takes the value that a central writes; `nil`: it cannot be written.
    public init(
        _ uuid: BluetoothUUID, permissions: MutableCharacteristic.Permissions = [],
        read: MutableCharacteristic.Read? = nil, write: MutableCharacteristic.Write? = nil
    ) {
        (self.uuid, self.permissions, self.read, self.write) = (uuid, permissions, read, write)
    }

    /// Creates a descriptor that has one value for all centrals, which cannot be written.
    ///
    /// - Parameters:
    ///   - uuid: The type of the value.
    ///   - permissions: The conditions for reading.
    ///   - value: The value; at most ``MutableCharacteristic/longestValue`` bytes of it are read.
    public init(_ uuid: BluetoothUUID, permissions: MutableCharacteristic.Permissions = [], value: [UInt8]) {
        self.init(uuid, permissions: permissions, read: { _ in value })
    }

    /// Returns the description that a central can show to people (0x2901; Core Specification, Vol 3, Part G, 3.3.3.2).
    public static func userDescription(_ text: String) -> MutableDescriptor {
        MutableDescriptor(BluetoothUUID(0x2901), value: Array(text.utf8))
    }

    /// Returns the format of the characteristic's value (0x2904; Core Specification, Vol 3, Part G, 3.3.3.5).
    ///
    /// - Parameters:
    ///   - format: The kind of number or text, such as 0x04 for an unsigned byte, 0x0E for a signed number of 16 bits, 0x19 for UTF-8
    ///     (Assigned Numbers, 2.4.1).
    ///   - exponent: The power of ten by which the number is multiplied: -2 for hundredths.
    ///   - unit: The unit, such as 0x272F for degrees Celsius; 0x2700: none (Assigned Numbers, 3.5).
    ///   - namespace: The organization that numbers the descriptions; 1: the Bluetooth SIG.
    ///   - description: The number of a description in the namespace, such as 0x0106 for "main"; 0: unknown (Assigned Numbers, 2.4.2).
    public static func presentationFormat(
        _ format: UInt8, exponent: Int8 = 0, unit: UInt16 = 0x2700, namespace: UInt8 = 1, description: UInt16 = 0
    ) -> MutableDescriptor {
        let numbers = [unit, description].map { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        return MutableDescriptor(
            BluetoothUUID(0x2904),
            value: [format, UInt8(bitPattern: exponent)] + numbers[0] + [namespace] + numbers[1])
    }

    /// Whether bluetoothd makes this descriptor itself.
    var isReserved: Bool { [BluetoothUUID(0x2900), BluetoothUUID(0x2902)].contains(uuid) }

    /// The same with the terms of BlueZ (`org.bluez.GattDescriptor1`, Flags).
    var flags: [String] {
        var flags: [String] = []
        if read != nil { flags.append(permissions.readFlag) }
        if write != nil { flags.append(permissions.protectedWriteFlag ?? "write") }
        return flags
    }
}
