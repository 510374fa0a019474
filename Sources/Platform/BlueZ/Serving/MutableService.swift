/// A primary service offered to centrals (Core Specification, Vol 3, Part G, 3.1): `CBMutableService`.
public struct MutableService: Sendable {
    /// The type of the service.
    public var uuid: BluetoothUUID

    /// In the order in which centrals find them.
    public var characteristics: [MutableCharacteristic]

    /// A service, to be offered by ``PeripheralManager/add(_:)``.
    public init(_ uuid: BluetoothUUID, characteristics: [MutableCharacteristic]) {
        self.uuid = uuid
        self.characteristics = characteristics
    }
}
