/// A characteristic that is offered to centrals. CoreBluetooth's `CBMutableCharacteristic`, with handlers in place of a
/// delegate.
public struct MutableCharacteristic: Sendable {
    /// What centrals may do with it (Core Specification, Vol 3, Part G, 3.3.1.1).
    public struct Properties: OptionSet, Sendable, Hashable {
        public let rawValue: Int

        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        public static let read = Properties(rawValue: 1 << 0)
        public static let writeWithoutResponse = Properties(rawValue: 1 << 1)
        public static let write = Properties(rawValue: 1 << 2)
        public static let notify = Properties(rawValue: 1 << 3)
        public static let indicate = Properties(rawValue: 1 << 4)
    }

    /// What it takes besides. bluetoothd refuses who has it not, and nobody here is asked.
    public struct Permissions: OptionSet, Sendable, Hashable {
        public let rawValue: Int

        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// An encrypted link, which takes pairing.
        public static let readEncryptionRequired = Permissions(rawValue: 1 << 0)
        public static let writeEncryptionRequired = Permissions(rawValue: 1 << 1)
    }

    /// Answers a central that reads. The whole value: a long read gets it in pieces, all of the same value.
    public typealias Read = @Sendable (Central) async throws(ATTError) -> [UInt8]

    /// Takes what a central writes. Whoever writes without response does not learn of an error.
    public typealias Write = @Sendable ([UInt8], Central) async throws(ATTError) -> Void

    /// No value is longer, in bytes (Core Specification, Vol 3, Part F, 3.2.9).
    public static let longestValue = 512

    public var uuid: BluetoothUUID
    public var properties: Properties
    public var permissions: Permissions
    public var read: Read?
    public var write: Write?

    public init(
        _ uuid: BluetoothUUID, properties: Properties, permissions: Permissions = [], read: Read? = nil,
        write: Write? = nil
    ) {
        self.uuid = uuid
        self.properties = properties
        self.permissions = permissions
        self.read = read
        self.write = write
    }

    /// The same in BlueZ's words.
    var flags: [String] {
        let isReadEncrypted = permissions.contains(.readEncryptionRequired)
        let isWriteEncrypted = permissions.contains(.writeEncryptionRequired)
        return [
            properties.contains(.read) ? (isReadEncrypted ? "encrypt-read" : "read") : nil,
            properties.contains(.writeWithoutResponse) ? "write-without-response" : nil,
            properties.contains(.write) ? (isWriteEncrypted ? "encrypt-write" : "write") : nil,
            properties.contains(.notify) ? "notify" : nil,
            properties.contains(.indicate) ? "indicate" : nil,
        ].compactMap(\.self)
    }
}
