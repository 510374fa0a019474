/// A characteristic offered to centrals. CoreBluetooth's `CBMutableCharacteristic`, with handlers, no delegate.
public struct MutableCharacteristic: Sendable, Identifiable {
    /// The identity of a characteristic: copies of a value have the same one, and two characteristics with one UUID have two.
    public struct ID: Hashable, Sendable, CustomStringConvertible {
        private let number = Identity.next()

        /// The type of the value.
        public let uuid: BluetoothUUID

        fileprivate init(_ uuid: BluetoothUUID) { self.uuid = uuid }

        /// The UUID.
        public var description: String { uuid.description }
    }

    /// The permitted operations (Core Specification, Vol 3, Part G, 3.3.1.1): `CBCharacteristicProperties`.
    public struct Properties: OptionSet, Sendable, Hashable {
        /// One bit for each property. They are this library's own, and not those of the declaration on the air.
        public let rawValue: Int

        /// Properties by their bits; see ``rawValue``.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// The value can be read.
        public static let read = Properties(rawValue: 1 << 0)
        /// The value can be written without a response.
        public static let writeWithoutResponse = Properties(rawValue: 1 << 1)
        /// The value can be written, and the central receives the result.
        public static let write = Properties(rawValue: 1 << 2)
        /// The value is notified, without a confirmation.
        public static let notify = Properties(rawValue: 1 << 3)
        /// The value is indicated, and the central confirms it.
        public static let indicate = Properties(rawValue: 1 << 4)
        /// The value is notified, and only a central with an encrypted link can subscribe. It needs BlueZ 5.62.
        public static let notifyEncryptionRequired = Properties(rawValue: 1 << 5)
        /// The value is indicated, and only a central with an encrypted link can subscribe. It needs BlueZ 5.62.
        public static let indicateEncryptionRequired = Properties(rawValue: 1 << 6)
    }

    /// The conditions for reading and writing (Core Specification, Vol 3, Part F, 3.2.5). bluetoothd refuses a central
    /// that does not meet them with ATT's error 0x0F, insufficient encryption, and does not call this program.
    /// CoreBluetooth's `CBAttributePermissions`.
    public struct Permissions: OptionSet, Sendable, Hashable {
        /// One bit for each permission. They are this library's own.
        public let rawValue: Int

        /// Permissions by their bits; see ``rawValue``.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// Reading takes an encrypted link, and that takes pairing.
        public static let readEncryptionRequired = Permissions(rawValue: 1 << 0)
        /// Writing takes an encrypted link, and that takes pairing. Without one a write without response is lost in
        /// silence. bluetoothd announces ``Properties/write`` for it too.
        public static let writeEncryptionRequired = Permissions(rawValue: 1 << 1)
        /// Writing takes an encrypted link whose pairing was authenticated, by comparing numbers or by a passkey. A central
        /// that paired otherwise (Just Works) gets ATT's error 0x05, insufficient authentication.
        public static let writeAuthenticationRequired = Permissions(rawValue: 1 << 2)
    }

    /// Answers a central that reads. The whole value: a long read gets it in pieces, all of the same value.
    ///
    /// The closure throws an ``ATTError`` to refuse. Any other error reaches the central as 0x0E, unlikely error.
    public typealias Read = @Sendable (Central) async throws -> [UInt8]

    /// Takes what a central writes. A central that writes without response does not receive an error.
    ///
    /// The closure throws an ``ATTError`` to refuse. Any other error reaches the central as 0x0E, unlikely error.
    public typealias Write = @Sendable ([UInt8], Central) async throws -> Void

    /// No value is longer, in bytes (Core Specification, Vol 3, Part F, 3.2.9).
    public static let longestValue = 512

    /// The identity of the characteristic, for ``PeripheralManager/updateValue(_:for:)`` and the events.
    public let id: ID

    /// The type of the value.
    public var uuid: BluetoothUUID { id.uuid }

    /// The operations that centrals may use.
    public var properties: Properties

    /// The conditions for reading and writing.
    public var permissions: Permissions

    /// Returns the value to a central that reads; `nil`: ATT's error 0x06, request not supported.
    public var read: Read?

    /// Takes the value that a central writes; `nil`: ATT's error 0x06, request not supported.
    public var write: Write?

    /// The descriptors, beside those that bluetoothd makes itself.
    public var descriptors: [MutableDescriptor]

    /// Creates a characteristic whose value the program returns and takes, to be offered in a ``MutableService``.
    ///
    /// - Parameters:
    ///   - uuid: The type of the value.
    ///   - properties: The operations that centrals may use.
    ///   - permissions: The conditions for reading and writing.
    ///   - descriptors: The descriptors, beside those that bluetoothd makes itself.
    ///   - read: Returns the value to a central that reads; `nil`: ATT's error 0x06, request not supported.
    ///   - write: Takes the value that a central writes; `nil`: ATT's error 0x06, request not supported.
    public init(
        _ uuid: BluetoothUUID, properties: Properties, permissions: Permissions = [],
        descriptors: [MutableDescriptor] = [], read: Read? = nil, write: Write? = nil
    ) {
        id = ID(uuid)
        self.properties = properties
        self.permissions = permissions
        self.descriptors = descriptors
        self.read = read
        self.write = write
    }

    /// Creates a characteristic that has one value for all centrals, which cannot be written.
    ///
    /// - Parameters:
    ///   - uuid: The type of the value.
    ///   - properties: The operations that centrals may use.
    ///   - permissions: The conditions for reading.
    ///   - descriptors: The descriptors, beside those that bluetoothd makes itself.
    ///   - value: The value; at most ``longestValue`` bytes of it are read.
    public init(
        _ uuid: BluetoothUUID, properties: Properties = .read, permissions: Permissions = [],
        descriptors: [MutableDescriptor] = [], value: [UInt8]
    ) {
        self.init(
            uuid, properties: properties, permissions: permissions, descriptors: descriptors,
            read: { _ in value })
    }

    /// The same with the terms of BlueZ (`org.bluez.GattCharacteristic1`, Flags), as of 5.62: an older one rejects a
    /// service with an unknown flag.
    var flags: [String] {
        var flags: [String] = []
        if properties.contains(.read) {
            flags.append(permissions.readFlag)
        }
        if properties.contains(.writeWithoutResponse) { flags.append("write-without-response") }
        let isWritten = !properties.isDisjoint(with: [.write, .writeWithoutResponse])
        // BlueZ has no flag for a protected write that is only without response.
        if isWritten, let flag = permissions.protectedWriteFlag {
            flags.append(flag)
        } else if properties.contains(.write) {
            flags.append("write")
        }
        // The plain flag accompanies the other one: 5.62 to 5.65 refuse all subscriptions without it.
        if !properties.isDisjoint(with: [.notify, .notifyEncryptionRequired]) { flags.append("notify") }
        if properties.contains(.notifyEncryptionRequired) { flags.append("encrypt-notify") }
        if !properties.isDisjoint(with: [.indicate, .indicateEncryptionRequired]) { flags.append("indicate") }
        if properties.contains(.indicateEncryptionRequired) { flags.append("encrypt-indicate") }
        return flags
    }
}

extension MutableCharacteristic.Properties {
    /// Whether centrals can subscribe.
    var isSubscribable: Bool {
        !isDisjoint(with: [.notify, .indicate, .notifyEncryptionRequired, .indicateEncryptionRequired])
    }
}

extension MutableCharacteristic.Permissions {
    /// BlueZ's flag of a value that can be read.
    var readFlag: String { contains(.readEncryptionRequired) ? "encrypt-read" : "read" }

    /// BlueZ's flag of a value that can be written on a condition; `nil` without a condition.
    var protectedWriteFlag: String? {
        if contains(.writeAuthenticationRequired) { return "encrypt-authenticated-write" }
        return contains(.writeEncryptionRequired) ? "encrypt-write" : nil
    }
}
