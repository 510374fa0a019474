/// What Bluetooth can do at the moment, in CoreBluetooth's words (`CBManagerState`): for a central as for a peripheral.
///
/// `Bluetooth` has the same words of its own: the two libraries share no public module, and neither should need the other.
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
