/// A service that is offered to centrals. CoreBluetooth's `CBMutableService`.
public struct MutableService: Sendable {
    public var uuid: BluetoothUUID

    /// In the order in which centrals find them.
    public var characteristics: [MutableCharacteristic]

    public init(_ uuid: BluetoothUUID, characteristics: [MutableCharacteristic]) {
        self.uuid = uuid
        self.characteristics = characteristics
    }
}
