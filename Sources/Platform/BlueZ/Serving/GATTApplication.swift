import OkaeriDBus
import OkaeriPlumbing

/// The services as bluetoothd reads them: a tree of objects below one that lists them (`org.bluez.GattApplication1`).
///
/// bluetoothd gives out handles in the order in which the objects are listed, which is that of their paths. Centrals
/// that have paired store the handles, and bluetoothd stores the subscriptions by them: they must not change.
struct GATTApplication: Sendable {
    let root: String

    let objects: [(path: String, interface: BusInterface)]

    private let paths: [BluetoothUUID: String]

    /// - Parameter root: a path that no other application has.
    init(_ services: [MutableService], at root: String, refused: @escaping @Sendable (ATTError, Central) -> Void) {
        var objects: [(path: String, interface: BusInterface)] = []
        var paths: [BluetoothUUID: String] = [:]
        for (number, service) in services.enumerated() {
            let path = "\(root)/service\(Self.ordinal(number))"
            objects.append((path, Self.interface(of: service)))
            for (number, characteristic) in service.characteristics.enumerated() {
                let served = ServedCharacteristic(characteristic, refused: refused)
                let own = "\(path)/char\(Self.ordinal(number))"
                objects.append((own, served.interface(of: path)))
                paths[characteristic.uuid] = own
            }
        }
        self.root = root
        self.objects = objects
        self.paths = paths
    }

    func path(of characteristic: BluetoothUUID) -> String? { paths[characteristic] }

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

    private static func interface(of service: MutableService) -> BusInterface {
        BusInterface(
            Interface.gattService,
            properties: [.init("UUID", .string(service.uuid.full)), .init("Primary", .boolean(true))])
    }
}
