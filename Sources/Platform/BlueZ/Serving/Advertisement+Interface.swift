import DBus

extension Advertisement {
    /// The object that bluetoothd reads it from, `org.bluez.LEAdvertisement1`.
    ///
    /// - Parameter released: bluetoothd has ended it.
    func interface(released: @escaping @Sendable () -> Void) -> BusInterface {
        BusInterface(
            Interface.advertisement,
            methods: [
                .init("Release") { _ in
                    released()
                    return .success([])
                }
            ], properties: properties)
    }

    private var properties: [BusInterface.Property] {
        var properties: [BusInterface.Property] = []
        switch kind {
        case .connectable:
            properties = [.init("Type", .string("peripheral")), .init("Discoverable", .boolean(true))]
        case .broadcast: properties = [.init("Type", .string("broadcast"))]
        }
        if let localName { properties.append(.init("LocalName", .string(localName))) }
        if !serviceUUIDs.isEmpty { properties.append(.init("ServiceUUIDs", .strings(serviceUUIDs.map(\.full)))) }
        if !manufacturerData.isEmpty {
            let entries = manufacturerData.map { (DBusValue.uint16($0), DBusValue.variant(.bytes($1))) }
            properties.append(
                .init(
                    "ManufacturerData",
                    .dictionary(key: "q", value: "v", Dictionary(uniqueKeysWithValues: entries))))
        }
        if let appearance { properties.append(.init("Appearance", .uint16(appearance))) }
        if let interval {
            let milliseconds = UInt32(max(0, min(interval / .milliseconds(1), 10_240)))
            properties.append(.init("MinInterval", .uint32(milliseconds)))
            properties.append(.init("MaxInterval", .uint32(milliseconds)))
        }
        return properties
    }
}
