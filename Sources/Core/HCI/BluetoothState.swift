/// The present state of Bluetooth, with the terms of CoreBluetooth (`CBManagerState`): the state of one adapter, as its HCI
/// socket shows it. `BlueZ.ManagerState` has the same words for what bluetoothd does.
public enum BluetoothState: String, Codable, Hashable, Sendable, CaseIterable {
    /// Nothing is known yet.
    case unknown

    /// The adapter does not answer or does not obey; it is tried again.
    case resetting

    /// There is no Bluetooth, or no adapter.
    case unsupported

    /// The process may not scan.
    case unauthorized

    /// The adapter is switched off.
    case poweredOff

    /// The adapter works.
    case poweredOn
}
