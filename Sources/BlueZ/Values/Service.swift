/// A service of a peripheral, as it was discovered.
public struct Service: Sendable, Hashable {
    public var uuid: BluetoothUUID
    /// Whether it stands for itself and not only within another one.
    public var isPrimary: Bool
    public var characteristics: [Characteristic]
}

/// A characteristic of a peripheral, as it was discovered.
public struct Characteristic: Sendable, Hashable {
    public var uuid: BluetoothUUID
    /// The UUID of its service.
    public var service: BluetoothUUID
    public var properties: Set<CharacteristicProperty>

    /// Where bluetoothd has it. A peripheral that has not changed is given the same again after a restart.
    let path: String
}

/// How a value is written (`CBCharacteristicWriteType`).
public enum WriteType: Sendable, Hashable {
    /// The peripheral says whether it has taken it.
    case withResponse
    /// Nobody says whether it has arrived.
    case withoutResponse
}
