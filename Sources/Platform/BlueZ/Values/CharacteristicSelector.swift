import OkaeriPlumbing

/// The characteristics of a UUID, or one of them: a peripheral may have several of a UUID, in several services or in one.
///
/// Its text is `2A06`, `1802/2A06` for one service, or `2A06#2` and `1802/2A06#2` for the second of those that the rest of
/// the text selects, in their order at the peripheral.
public struct CharacteristicSelector: Sendable, Hashable {
    /// The UUID of the characteristic.
    public var uuid: BluetoothUUID

    /// The UUID of the service; `nil` for any.
    public var service: BluetoothUUID?

    /// The number among those of the UUID and the service, from 1; `nil` for any.
    public var instance: Int?

    /// Creates the selector of a characteristic.
    ///
    /// - Parameters:
    ///   - uuid: The UUID of the characteristic.
    ///   - service: The UUID of the service; `nil` for any.
    ///   - instance: The number among those of the UUID and the service, from 1; `nil` for any.
    public init(_ uuid: BluetoothUUID, in service: BluetoothUUID? = nil, instance: Int? = nil) {
        (self.uuid, self.service, self.instance) = (uuid, service, instance)
    }

    /// Reads `2A06`, `1802/2A06`, `2A06#2` or `1802/2A06#2`; `nil` for any other text.
    public init?(_ text: some StringProtocol) {
        let numbered = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let parts = numbered[0].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let uuid = parts.last.flatMap({ BluetoothUUID($0) }) else { return nil }
        var service: BluetoothUUID?
        if parts.count == 2 {
            guard let read = BluetoothUUID(parts[0]) else { return nil }
            service = read
        }
        var instance: Int?
        if numbered.count == 2 {
            // `Int` also reads a sign.
            guard numbered[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let read = Int(numbered[1]), read > 0
            else { return nil }
            instance = read
        }
        self.init(uuid, in: service, instance: instance)
    }
}

extension CharacteristicSelector: CustomStringConvertible {
    /// As it is read: `1802/2A06#2`.
    public var description: String { place(uuid.description) }

    /// `1802/Alert Level (2A06)#2`.
    var title: String { place(uuid.characteristicTitle) }

    private func place(_ name: String) -> String {
        (service.map { "\($0)/" } ?? "") + name + (instance.map { "#\($0)" } ?? "")
    }
}

extension CharacteristicSelector {
    /// Returns those of the characteristics that it selects.
    ///
    /// - Parameter characteristics: All of a peripheral, in their order.
    func matches(in characteristics: [Characteristic]) -> [Characteristic] {
        let matches = characteristics.filter { $0.uuid == uuid && (service == nil || $0.service == service) }
        guard let instance else { return matches }
        return matches.indices.contains(instance - 1) ? [matches[instance - 1]] : []
    }

    /// Returns the one characteristic that it selects. Of several it is the only one with a property that is needed.
    ///
    /// - Parameters:
    ///   - characteristics: All of the peripheral, in their order.
    ///   - properties: The properties of which it needs one; empty: none.
    ///   - address: The address of the peripheral.
    func select(
        from characteristics: [Characteristic], with properties: Set<CharacteristicProperty>, address: String
    ) throws(CentralError) -> Characteristic {
        let matches = matches(in: characteristics)
        guard let first = matches.first else { throw .noCharacteristic(self, address: address) }
        let able = matches.filter { properties.isEmpty || !properties.isDisjoint(with: $0.properties) }
        if able.count == 1 { return able[0] }
        if able.isEmpty {
            guard matches.count > 1, let missing = properties.firstInOrder else { return first }
            throw .notSupported(uuid, missing)
        }
        throw .ambiguous(self, choices: able.map { $0.shortestSelector(in: characteristics) })
    }
}

extension Set<CharacteristicProperty> {
    /// The first one in the order of the specification.
    var firstInOrder: CharacteristicProperty? { CharacteristicProperty.allCases.first(where: contains) }
}

extension Characteristic {
    /// The selector of this one alone.
    public var selector: CharacteristicSelector { CharacteristicSelector(uuid, in: service, instance: instance) }

    /// Without the number where the service has one of the UUID.
    fileprivate func shortestSelector(in characteristics: [Characteristic]) -> CharacteristicSelector {
        let short = CharacteristicSelector(uuid, in: service)
        return short.matches(in: characteristics).count == 1 ? short : selector
    }
}
