/// The reason why a ``PeripheralManager`` cannot do what the program requests.
public enum PeripheralError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Bluetooth cannot be used at present; the reason is a clause with its remedy.
    case unavailable(ManagerState, reason: String)
    /// The manager was stopped.
    case stopped
    /// This service, or a characteristic of it, is offered already.
    case alreadyAdded(BluetoothUUID)
    /// bluetoothd offers this service or descriptor itself, and accepts it from no program.
    case reserved(BluetoothUUID)
    /// The service includes a service that was not added before it.
    case missingIncludedService(BluetoothUUID)
    /// A descriptor has neither a value nor a handler.
    case inaccessibleDescriptor(BluetoothUUID)
    /// All services take so many attributes, more than there are handles (Core Specification, Vol 3, Part F, 3.2.2).
    case tooManyAttributes(count: Int)

    /// The failure, its reason and the remedy.
    public var description: String {
        switch self {
        case .unavailable(_, let reason): reason
        case .stopped: "the peripheral manager was stopped; create another one"
        case .alreadyAdded(let uuid):
            "\(uuid) is offered already; remove its service first, or create another value with this UUID"
        case .reserved(let uuid): "bluetoothd offers \(uuid) itself; leave it out"
        case .missingIncludedService(let uuid): "the included service \(uuid) is not offered; add it first"
        case .inaccessibleDescriptor(let uuid):
            "the descriptor \(uuid) cannot be read or written; give it a value or a handler"
        case .tooManyAttributes(let count):
            "the services have \(count) attributes, and there are \(UInt16.max) handles; offer fewer characteristics"
        }
    }
}
