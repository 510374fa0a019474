import BlueZ

extension MutableService {
    /// A battery that can be alerted.
    static func sample(
        read: @escaping MutableCharacteristic.Read = { _ in [0] },
        write: @escaping MutableCharacteristic.Write = { _, _ in }
    ) -> MutableService {
        MutableService(
            BluetoothUUID(0x180F),
            characteristics: [
                .init(BluetoothUUID(0x2A19), properties: [.read, .notify], read: read),
                .init(BluetoothUUID(0x2A06), properties: .write, write: write),
            ])
    }
}
