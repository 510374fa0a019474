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

/// A discovered GATT service (Core Specification, Vol 3, Part G, 3.1). CoreBluetooth's `CBService`.
public struct GATTService: Sendable, Hashable {
    /// The type of the service. A peripheral may have several of one.
    public var uuid: BluetoothUUID

    /// Whether it stands for itself and not only within another one.
    public var isPrimary: Bool

    /// The characteristics, in their order.
    public var characteristics: [Characteristic]

    /// The path at bluetoothd.
    var path = ""

    /// The paths of the services that it includes (Core Specification, Vol 3, Part G, 3.2), as bluetoothd has them.
    var includes: [String] = []
}

/// A discovered characteristic (Core Specification, Vol 3, Part G, 3.3). CoreBluetooth's `CBCharacteristic`.
public struct Characteristic: Sendable, Hashable {
    /// The type of the value.
    public var uuid: BluetoothUUID

    /// The UUID of its service.
    public var service: BluetoothUUID

    /// The number among those of the same UUID in the services of the same UUID, from 1, in their order.
    public var instance: Int = 1

    /// The operations of the value.
    public var properties: Set<CharacteristicProperty>

    /// The descriptors, in their order, without the one that subscribes: see ``Peripheral/values(for:acrossReconnections:)``.
    public var descriptors: [Descriptor] = []

    /// The path at bluetoothd. A peripheral that has not changed is given the same again after a restart.
    let path: String
}

/// A discovered descriptor of a characteristic (Core Specification, Vol 3, Part G, 3.3.3). CoreBluetooth's `CBDescriptor`.
public struct Descriptor: Sendable, Hashable {
    /// The type of the descriptor, such as 2901 (Characteristic User Description).
    public var uuid: BluetoothUUID

    /// The path at bluetoothd.
    let path: String
}

/// The way to write a value (`CBCharacteristicWriteType`).
public enum WriteType: Sendable, Hashable {
    /// The peripheral confirms it or reports an error (Core Specification, Vol 3, Part G, 4.9.3).
    case withResponse
    /// Without confirmation of its arrival (Core Specification, Vol 3, Part G, 4.9.1).
    case withoutResponse
}

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

/// The present state of Bluetooth, with the terms of CoreBluetooth (`CBManagerState`): for a central as for a peripheral.
///
/// `Bluetooth.BluetoothState` has the same words, and is another type for two reasons. The words mean other things
/// there: it is about one adapter seen through its HCI socket, this one about bluetoothd seen through the bus (see each
/// case). And either is public API of a library that is used without the other: one type would need a public module
/// below both, in which nothing else belongs. A test holds the words together.
public enum ManagerState: String, Hashable, Sendable, CaseIterable {
    /// Nothing is known yet.
    case unknown

    /// bluetoothd or the bus is lost, and has answered this manager before. The manager works again when it returns.
    case resetting

    /// The adapter is missing; bluetoothd has not run since the manager's first use; or the adapter cannot be a peripheral. The
    /// manager works as soon as that changes.
    case unsupported

    /// The bus does not let this process ask bluetoothd.
    case unauthorized

    /// The adapter is switched off.
    case poweredOff

    /// The adapter works.
    case poweredOn
}
