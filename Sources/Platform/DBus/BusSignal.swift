package struct BusSignal: Hashable, Sendable {
    /// The unique name of the sender, as `:1.42`.
    package var sender: String
    package var path: String
    package var interface: String
    package var member: String
    package var arguments: [DBusValue]
}
