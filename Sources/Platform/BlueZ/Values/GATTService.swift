/// A discovered GATT service (Core Specification, Vol 3, Part G, 3.1). CoreBluetooth's `CBService`.
public struct GATTService: Sendable, Hashable {
    /// The type of the service. A peripheral may have several of one.
    public var uuid: BluetoothUUID

    /// Whether it stands for itself and not only within another one.
    public var isPrimary: Bool

    /// The characteristics, in their order.
    public var characteristics: [Characteristic]
}

/// A discovered characteristic (Core Specification, Vol 3, Part G, 3.3). CoreBluetooth's `CBCharacteristic`.
public struct Characteristic: Sendable, Hashable {
    /// The type of the value.
    public var uuid: BluetoothUUID

    /// The UUID of its service.
    public var service: BluetoothUUID

    /// The operations of the value.
    public var properties: Set<CharacteristicProperty>

    /// The path at bluetoothd. A peripheral that has not changed is given the same again after a restart.
    let path: String
}

/// The way to write a value (`CBCharacteristicWriteType`).
public enum WriteType: Sendable, Hashable {
    /// The peripheral confirms it or reports an error (Core Specification, Vol 3, Part G, 4.9.3).
    case withResponse
    /// Without confirmation of its arrival (Core Specification, Vol 3, Part G, 4.9.1).
    case withoutResponse
}
