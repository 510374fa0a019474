/// A report of Linux to a raw socket about one of its adapters: event 0xFD, type 1 (`EVT_SI_DEVICE`).
public struct DeviceEvent: Hashable, Sendable {
    /// The changes of an adapter.
    public enum Change: UInt16, Hashable, Sendable {
        /// The adapter was plugged in, or its driver was loaded (`HCI_DEV_REG`).
        case registered = 1

        /// The adapter is gone (`HCI_DEV_UNREG`).
        case unregistered = 2

        /// The adapter was switched on (`HCI_DEV_UP`).
        case up = 3

        /// The adapter was switched off (`HCI_DEV_DOWN`).
        case down = 4
    }

    /// The type of this event among the stack's own.
    static let type: UInt16 = 0x0001

    /// The change.
    public var change: Change

    /// The adapter's number, 0 for `hci0`.
    public var index: UInt16

    /// An event about one adapter, as `hciN` numbers it.
    public init(_ change: Change, index: UInt16) {
        self.change = change
        self.index = index
    }
}
