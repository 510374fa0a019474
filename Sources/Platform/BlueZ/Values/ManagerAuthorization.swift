/// Whether this process may use Bluetooth, with the terms of CoreBluetooth (`CBManagerAuthorization`): for a central as for
/// a peripheral.
///
/// Linux asks the user nothing. The policy of the system bus decides whether a user may call bluetoothd, and the decision
/// is known when bluetoothd has answered the first call. The obstacle of the manager has the reason and the remedy.
public enum ManagerAuthorization: String, Hashable, Sendable, CaseIterable {
    /// Nothing was asked yet, or the answer is not known yet.
    case notDetermined

    /// Bluetooth cannot be used by any user of this machine at present: the system bus, bluetoothd or an adapter is
    /// missing, or the adapter is switched off or blocked by rfkill. A permission would not change that.
    case restricted

    /// The policy of the bus does not let this user call bluetoothd (`org.freedesktop.DBus.Error.AccessDenied`).
    case denied

    /// This user may call bluetoothd, and the adapter works.
    case authorized

    /// Creates the authorization that a state of Bluetooth stands for.
    ///
    /// - Parameter state: The state of a manager.
    public init(_ state: ManagerState) {
        self =
            switch state {
            case .unknown: .notDetermined
            case .resetting, .unsupported, .poweredOff: .restricted
            case .unauthorized: .denied
            case .poweredOn: .authorized
            }
    }
}
