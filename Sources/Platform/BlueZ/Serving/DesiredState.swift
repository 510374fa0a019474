/// The requested services and advertisement of a peripheral.
struct DesiredState: Sendable {
    private(set) var services: [MutableService] = []
    private(set) var advertisement: Advertisement?
    /// Counts the changes to each.
    private(set) var servicesVersion = 0
    private(set) var advertisementVersion = 0

    /// The services that bluetoothd offers itself, Generic Access and Generic Attribute: it accepts their UUIDs from no program, for any
    /// attribute (`parse_uuid` in its `gatt-database.c`).
    private static let reservedTypes = [BluetoothUUID(0x1800), BluetoothUUID(0x1801)]

    func isSame(as other: Self) -> Bool {
        servicesVersion == other.servicesVersion && advertisementVersion == other.advertisementVersion
    }

    mutating func add(_ service: MutableService) throws(PeripheralError) {
        try check(service)
        services.append(service)
        servicesVersion += 1
    }

    mutating func remove(where isRemoved: (MutableService) -> Bool) {
        guard services.contains(where: isRemoved) else { return }
        services.removeAll(where: isRemoved)
        servicesVersion += 1
    }

    mutating func advertise(_ advertisement: Advertisement?) {
        self.advertisement = advertisement
        advertisementVersion += 1
    }

    /// Throws what bluetoothd would refuse, or what could not be addressed.
    private func check(_ service: MutableService) throws(PeripheralError) {
        if Self.reservedTypes.contains(service.uuid) { throw .reserved(service.uuid) }
        if services.contains(where: { $0.id == service.id }) { throw .alreadyAdded(service.uuid) }
        var known = Set(services.flatMap(\.characteristics).map(\.id))
        for characteristic in service.characteristics {
            if Self.reservedTypes.contains(characteristic.uuid) { throw .reserved(characteristic.uuid) }
            guard known.insert(characteristic.id).inserted else { throw .alreadyAdded(characteristic.uuid) }
            for descriptor in characteristic.descriptors {
                if descriptor.isReserved || Self.reservedTypes.contains(descriptor.uuid) {
                    throw .reserved(descriptor.uuid)
                }
                if descriptor.flags.isEmpty { throw .inaccessibleDescriptor(descriptor.uuid) }
            }
        }
        for included in service.includedServices where !services.contains(where: { $0.id == included }) {
            throw .missingIncludedService(included.uuid)
        }
        let count = (services + [service]).reduce(0) { $0 + $1.attributeCount }
        guard count <= UInt16.max else { throw .tooManyAttributes(count: count) }
    }
}
