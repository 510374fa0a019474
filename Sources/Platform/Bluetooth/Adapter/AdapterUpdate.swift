/// Bluetooth's state has changed.
public struct AdapterUpdate: Hashable, Sendable {
    /// The state now.
    public var state: BluetoothState

    /// Which adapter it is about, `hci0`; nil when there is none.
    public var adapter: String?

    /// What happened, why, and what to do about it: for people.
    public var reason: String

    /// A change to `state`, with its reason in sentences for people.
    public init(state: BluetoothState, adapter: String?, reason: String) {
        self.state = state
        self.adapter = adapter
        self.reason = reason
    }
}
