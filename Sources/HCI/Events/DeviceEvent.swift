/// What Linux tells a raw socket about one of its adapters: event 0xFD, type 1 (`EVT_SI_DEVICE`).
public struct DeviceEvent: Hashable, Sendable {
    /// What happened to the adapter.
    public enum Change: UInt16, Hashable, Sendable {
        case registered = 1
        case unregistered = 2
        case up = 3
        case down = 4
    }

    /// The type of this event among the stack's own.
    static let type: UInt16 = 0x0001

    public var change: Change

    /// The adapter's number, 0 for `hci0`.
    public var index: UInt16

    public init(_ change: Change, index: UInt16) {
        self.change = change
        self.index = index
    }
}
