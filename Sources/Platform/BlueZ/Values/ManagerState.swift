/// The present state of Bluetooth, with the terms of CoreBluetooth (`CBManagerState`): for a central as for a peripheral.
///
/// `Bluetooth.BluetoothState` has the same words, and is another type for two reasons. The words mean other things
/// there: it is about one adapter seen through its HCI socket, this one about bluetoothd seen through the bus (see each
/// case). And either is public API of a library that is used without the other: one type would need a public module
/// below both, in which nothing else belongs. A test holds the words together.
public enum ManagerState: String, Hashable, Sendable, CaseIterable {
    /// Nothing is known yet.
    case unknown

    /// bluetoothd or the bus is lost for the moment; its return is waited for.
    case resetting

    /// There is no adapter, or, for a peripheral, no bluetoothd or an adapter that cannot be one.
    case unsupported

    /// The bus does not let this process ask bluetoothd.
    case unauthorized

    /// The adapter is switched off.
    case poweredOff

    /// The adapter works.
    case poweredOn
}
