import OkaeriDBus
import OkaeriPlumbing

/// The services as bluetoothd reads them: a tree of objects below one that lists them (`org.bluez.GattApplication1`).
///
/// bluetoothd gives out handles in the order in which the objects are listed, which is that of their paths. Centrals
/// that have paired store the handles, and bluetoothd stores the subscriptions by them: they must not change.
struct GATTApplication: Sendable {
    let root: String

    let objects: [(path: String, interface: BusInterface)]

    private let paths: [MutableCharacteristic.ID: String]

    /// - Parameters:
    ///   - root: The path, which no other application has.
    ///   - report: Receives the requests of bluetoothd that the program is notified of.
    init(_ services: [MutableService], at root: String, report: @escaping @Sendable (ServedEvent) -> Void) {
        let servicePaths = Dictionary(
            services.enumerated().map { ($1.id, "\(root)/service\(Self.ordinal($0))") },
            uniquingKeysWith: { first, _ in first })
        var objects: [(path: String, interface: BusInterface)] = []
        var paths: [MutableCharacteristic.ID: String] = [:]
        for service in services {
            guard let path = servicePaths[service.id] else { continue }
            let included = service.includedServices.compactMap { servicePaths[$0] }
            objects.append((path, Self.interface(of: service, including: included)))
            for (number, characteristic) in service.characteristics.enumerated() {
                let own = "\(path)/char\(Self.ordinal(number))"
                objects.append((own, Self.interface(of: characteristic, in: path, report)))
                paths[characteristic.id] = own
                for (number, descriptor) in characteristic.descriptors.enumerated() {
                    objects.append(
                        ("\(own)/desc\(Self.ordinal(number))", Self.interface(of: descriptor, in: own, report)))
                }
            }
        }
        self.root = root
        self.objects = objects
        self.paths = paths
    }

    func path(of characteristic: MutableCharacteristic.ID) -> String? { paths[characteristic] }

    var manager: BusInterface {
        let listed = objects.map { path, interface in
            let properties = DBusValue.properties(interface.values)
            let interfaces = DBusValue.dictionary(key: "s", value: "a{sv}", [.string(interface.name): properties])
            return (DBusValue.objectPath(path), interfaces)
        }
        let answer = DBusValue.dictionary(
            key: "o", value: "a{sa{sv}}", Dictionary(uniqueKeysWithValues: listed))
        return BusInterface(
            Interface.objectManager,
            methods: [.init("GetManagedObjects", returns: ["a{oa{sa{sv}}}"]) { _ in .success([answer]) }])
    }

    /// Sorted as text, numbers of one length keep their order. There are no more handles than this has digits for.
    private static func ordinal(_ number: Int) -> String {
        hexadecimal(UInt(number), prefix: "", digits: 4, uppercase: false)
    }

    private static func interface(of service: MutableService, including included: [String]) -> BusInterface {
        var properties: [BusInterface.Property] = [
            .init("UUID", .string(service.uuid.full)), .init("Primary", .boolean(service.isPrimary)),
        ]
        if !included.isEmpty {
            properties.append(.init("Includes", .array(element: "o", included.map { .objectPath($0) })))
        }
        return BusInterface(Interface.gattService, properties: properties)
    }

    private static func interface(
        of characteristic: MutableCharacteristic, in service: String,
        _ report: @escaping @Sendable (ServedEvent) -> Void
    ) -> BusInterface {
        let value = ServedValue(read: characteristic.read, write: characteristic.write, report: report)
        let id = characteristic.id
        // bluetoothd manages the subscriptions: it takes every value, and passes it on to the subscribers. It ignores a refusal of these
        // calls: a central that writes as fast as it can must not keep out a subscription.
        let subscriptions: [BusInterface.Method] = [
            .init("StartNotify", arrival: { _ in report(.subscribed(id)) }),
            .init("StopNotify", arrival: { _ in report(.unsubscribed(id)) }),
            .init("Confirm", arrival: { _ in }),
        ]
        return BusInterface(
            Interface.characteristic, methods: value.methods + subscriptions,
            properties: [
                .init("UUID", .string(characteristic.uuid.full)), .init("Service", .objectPath(service)),
                .init("Flags", .strings(characteristic.flags)),
            ])
    }

    private static func interface(
        of descriptor: MutableDescriptor, in characteristic: String, _ report: @escaping @Sendable (ServedEvent) -> Void
    ) -> BusInterface {
        BusInterface(
            Interface.descriptor,
            methods: ServedValue(read: descriptor.read, write: descriptor.write, report: report).methods,
            properties: [
                .init("UUID", .string(descriptor.uuid.full)), .init("Characteristic", .objectPath(characteristic)),
                .init("Flags", .strings(descriptor.flags)),
            ])
    }
}
