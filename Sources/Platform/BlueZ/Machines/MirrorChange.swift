import DBus

enum MirrorChange: Sendable, Equatable {
    /// The presence of bluetoothd, its objects, or an adapter: of interest to all waiters.
    case all
    /// An object that is no adapter. `before` and `now` are the properties of its `org.bluez.Device1`, where it has
    /// them; `didConnect`: bluetoothd has signalled it.
    case object(path: String, before: ObjectTree.Properties?, now: ObjectTree.Properties?, didConnect: Bool)
}

/// The changes that a waiter waits for. Adapters, and the presence of bluetoothd, are of interest to all; a device only
/// to its own waiters: every advertisement that bluetoothd receives changes one.
enum Interest: Sendable {
    /// No device.
    case adapters
    /// That any device connects.
    case connections
    /// The object of this path, and those below it.
    case object(String)
    /// Devices, by the properties that they have now or had before.
    case devices(@Sendable (ObjectTree.Properties) -> Bool)

    func includes(_ change: MirrorChange) -> Bool {
        guard case .object(let path, let before, let now, let didConnect) = change else { return true }
        switch self {
        case .adapters: return false
        case .connections: return didConnect
        case .object(let own): return path == own || path.hasPrefix(own + "/")
        case .devices(let isWanted): return before.map(isWanted) ?? false || now.map(isWanted) ?? false
        }
    }
}
