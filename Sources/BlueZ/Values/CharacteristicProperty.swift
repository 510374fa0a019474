/// What can be done with a characteristic (Core Specification, Vol 3, Part G, 3.3.1.1), in BlueZ's words.
public enum CharacteristicProperty: String, Sendable, Hashable, CaseIterable {
    case broadcast
    case read
    case writeWithoutResponse = "write-without-response"
    case write
    case notify
    case indicate
    case authenticatedSignedWrites = "authenticated-signed-writes"
    case extendedProperties = "extended-properties"
    case reliableWrite = "reliable-write"
    case writableAuxiliaries = "writable-auxiliaries"
}
