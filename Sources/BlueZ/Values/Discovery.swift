/// A peripheral that bluetoothd knows, and what it knows of it.
public struct Discovery: Sendable, Hashable {
    /// Its address, `DC:A6:32:01:02:03`. It may be a random one that changes every quarter of an hour.
    public var address: String
    /// As it calls itself, with spaces in place of control characters; nil until it has said so.
    public var name: String?
    /// How loud it was heard last, in dBm; nil when it was not heard lately, or the adapter does not tell.
    public var rssi: Int16?
    /// The services it advertises, and those it was found to have.
    public var services: [BluetoothUUID]
    public var isConnected: Bool
    /// Whether it has been heard since somebody looks, or is connected.
    public var isInSight: Bool
}
