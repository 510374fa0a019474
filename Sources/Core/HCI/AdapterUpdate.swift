/// Bluetooth's state has changed.
public struct AdapterUpdate: Hashable, Sendable {
    /// The state now.
    public var state: BluetoothState

    /// The adapter's name, `hci0`; `nil` if there is none.
    public var adapter: String?

    /// The event, its reason and the remedy, for people.
    public var reason: String

    /// A change to `state`, with its reason in sentences for people.
    public init(state: BluetoothState, adapter: String?, reason: String) {
        self.state = state
        self.adapter = adapter
        self.reason = reason
    }
}
