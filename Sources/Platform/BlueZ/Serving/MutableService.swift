import Synchronization

/// A service offered to centrals (Core Specification, Vol 3, Part G, 3.1): `CBMutableService`.
public struct MutableService: Sendable, Identifiable {
    /// The identity of a service: copies of a value have the same one, and two services with one UUID have two.
    public struct ID: Hashable, Sendable, CustomStringConvertible {
        private let number = Identity.next()

        /// The type of the service.
        public let uuid: BluetoothUUID

        fileprivate init(_ uuid: BluetoothUUID) { self.uuid = uuid }

        /// The UUID.
        public var description: String { uuid.description }
    }

    /// The identity of the service, for ``PeripheralManager/remove(_:)`` and ``includedServices``.
    public let id: ID

    /// The type of the service.
    public var uuid: BluetoothUUID { id.uuid }

    /// In the order in which centrals find them.
    public var characteristics: [MutableCharacteristic]

    /// The services that this one includes (Core Specification, Vol 3, Part G, 3.2), each of them added before this one.
    public var includedServices: [ID]

    /// Whether centrals find the service by itself, and not only as an included one.
    public var isPrimary: Bool

    /// Creates a service, to be offered by ``PeripheralManager/add(_:)``.
    ///
    /// - Parameters:
    ///   - uuid: The type of the service.
    ///   - characteristics: The characteristics, in the order in which centrals find them.
    ///   - includedServices: The services that this one includes, each of them added before this one.
    ///   - isPrimary: Whether centrals find the service by itself, and not only as an included one.
    public init(
        _ uuid: BluetoothUUID, characteristics: [MutableCharacteristic], includedServices: [ID] = [],
        isPrimary: Bool = true
    ) {
        id = ID(uuid)
        self.characteristics = characteristics
        self.includedServices = includedServices
        self.isPrimary = isPrimary
    }

    /// The number of attributes, and so of handles, that the service takes: one for itself and for each included service, two for a
    /// characteristic, and one for each descriptor, with that of the subscriptions.
    var attributeCount: Int {
        characteristics.reduce(1 + includedServices.count) { count, characteristic in
            count + 2 + (characteristic.properties.isSubscribable ? 1 : 0) + characteristic.descriptors.count
        }
    }
}

/// Numbers for identities, each used once in a process.
enum Identity {
    private static let last = Atomic<UInt64>(0)

    static func next() -> UInt64 { last.wrappingAdd(1, ordering: .relaxed).newValue }
}
