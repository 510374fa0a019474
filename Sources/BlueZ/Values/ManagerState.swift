/// What Bluetooth can do at the moment, in CoreBluetooth's words (`CBManagerState`).
public enum ManagerState: String, Hashable, Sendable, CaseIterable {
    /// Nothing is known yet.
    case unknown

    /// bluetoothd or the bus is lost for the moment; its return is waited for.
    case resetting

    /// There is no adapter.
    case unsupported

    /// The adapter is switched off.
    case poweredOff

    /// The adapter works.
    case poweredOn
}
