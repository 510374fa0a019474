/// The operations of a characteristic (Core Specification, Vol 3, Part G, 3.3.1.1), with the terms of BlueZ.
public enum CharacteristicProperty: String, Sendable, Hashable, CaseIterable {
    /// The value may be broadcast in advertisements.
    case broadcast
    /// The value can be read.
    case read
    /// The value can be written without an answer.
    case writeWithoutResponse = "write-without-response"
    /// The value can be written, and the peripheral confirms it or reports an error.
    case write
    /// The value is notified, without a confirmation.
    case notify
    /// The value is indicated, and the central confirms it.
    case indicate
    /// The value can be written without an answer, with a signature.
    case authenticatedSignedWrites = "authenticated-signed-writes"
    /// More properties are in a descriptor, as the two that follow.
    case extendedProperties = "extended-properties"
    /// Several values can be written at once (3.3.3.1).
    case reliableWrite = "reliable-write"
    /// The description of the value can be written (3.3.3.1).
    case writableAuxiliaries = "writable-auxiliaries"
}
