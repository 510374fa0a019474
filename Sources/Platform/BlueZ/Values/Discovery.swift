/// A peripheral that bluetoothd knows, and what it knows of it (`org.bluez.Device1`). All of it except the address was
/// sent by the peripheral, or by a device that imitates it.
public struct Discovery: Sendable, Hashable {
    /// Its address, `DC:A6:32:01:02:03`. It may be a random one that changes every quarter of an hour.
    public var address: String

    /// Its own name, with spaces in place of control characters; `nil` until it was received.
    public var name: String?

    /// The last signal strength, in dBm; `nil` if nothing was received lately, or the adapter does not give it (Core
    /// Specification, Vol 4, Part E, 7.7.65.2).
    public var rssi: Int16?

    /// The services it advertises, and those it was found to have.
    public var services: [BluetoothUUID]

    /// Whether there is a connection to it, also one of another program.
    public var isConnected: Bool

    /// Whether it was received since the scan began, or is connected.
    public var isInSight: Bool

    /// The advertised manufacturer data, by company identifier (Assigned Numbers, 7.1; Core Specification Supplement,
    /// Part A, 1.4), without the identifier. Empty when it advertises none.
    public var manufacturerData: [UInt16: [UInt8]] = [:]

    /// The service data (Core Specification Supplement, Part A, 1.11) without the UUID; empty if there is none.
    public var serviceData: [BluetoothUUID: [UInt8]] = [:]

    /// The transmit power in dBm, -127 to 127 (Core Specification Supplement, Part A, 1.5); nil if not advertised.
    public var txPower: Int16?
}
