/// A GATT service of a peripheral, as it was discovered (Core Specification, Vol 3, Part G, 3.1). CoreBluetooth's
/// `CBService`.
public struct GATTService: Sendable, Hashable {
    /// What kind of service it is. A peripheral may have several of one.
    public var uuid: BluetoothUUID

    /// Whether it stands for itself and not only within another one.
    public var isPrimary: Bool

    /// What values it has, in their order.
    public var characteristics: [Characteristic]
}

/// A characteristic of a peripheral, as it was discovered (Core Specification, Vol 3, Part G, 3.3). CoreBluetooth's
/// `CBCharacteristic`.
public struct Characteristic: Sendable, Hashable {
    /// What kind of value it is.
    public var uuid: BluetoothUUID

    /// The UUID of its service.
    public var service: BluetoothUUID

    /// What can be done with the value.
    public var properties: Set<CharacteristicProperty>

    /// Where bluetoothd has it. A peripheral that has not changed is given the same again after a restart.
    let path: String
}

/// How a value is written (`CBCharacteristicWriteType`).
public enum WriteType: Sendable, Hashable {
    /// The peripheral says whether it has taken it (Core Specification, Vol 3, Part G, 4.9.3).
    case withResponse
    /// Nobody says whether it has arrived (Core Specification, Vol 3, Part G, 4.9.1).
    case withoutResponse
}
