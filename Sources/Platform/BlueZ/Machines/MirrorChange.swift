import DBus

/// What is different in the mirror than it was.
package enum MirrorChange: Sendable, Equatable {
    /// Whether there is a bluetoothd, what objects it has, or an adapter: what concerns everybody.
    case all
    /// An object that is no adapter. `before` and `now` are the properties of its `org.bluez.Device1`, where it has
    /// them; `didConnect` says that bluetoothd has signalled so.
    case object(path: String, before: ObjectTree.Properties?, now: ObjectTree.Properties?, didConnect: Bool)
}

/// What somebody waits for. Adapters, and whether there is a bluetoothd, are of interest to everybody; a device only
/// to who waits for it: every advertisement that bluetoothd hears changes one.
package enum Interest: Sendable {
    /// No device.
    case adapters
    /// That any device connects.
    case connections
    /// The object of this path, and those below it.
    case object(String)
    /// Devices, by the properties that they have now or had before.
    case devices(@Sendable (ObjectTree.Properties) -> Bool)

    package func includes(_ change: MirrorChange) -> Bool {
        guard case .object(let path, let before, let now, let didConnect) = change else { return true }
        switch self {
        case .adapters: return false
        case .connections: return didConnect
        case .object(let own): return path == own || path.hasPrefix(own + "/")
        case .devices(let isWanted): return before.map(isWanted) ?? false || now.map(isWanted) ?? false
        }
    }
}
