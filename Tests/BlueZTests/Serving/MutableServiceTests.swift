import OkaeriDBus
import OkaeriTestSupport
import Synchronization
import Testing

@testable import BlueZ

@Suite struct DesiredStateTests {
    private let level = MutableCharacteristic(BluetoothUUID(0x2A19), properties: .read, value: [1])

    private func error(_ services: MutableService...) -> PeripheralError? {
        var desired = DesiredState()
        do throws(PeripheralError) {
            for service in services { try desired.add(service) }
            return nil
        } catch {
            return error
        }
    }

    private func service(_ characteristics: MutableCharacteristic...) -> MutableService {
        MutableService(BluetoothUUID(0x180F), characteristics: characteristics)
    }

    @Test func `what bluetoothd would refuse, or what could not be addressed, is refused with the reason`() {
        let battery = service(level)
        #expect(error(battery, service(level)) == .alreadyAdded(level.uuid))
        #expect(error(battery, battery) == .alreadyAdded(battery.uuid))
        #expect(error(service(level, level)) == .alreadyAdded(level.uuid))
        #expect(error(MutableService(BluetoothUUID(0x1801), characteristics: [])) == .reserved(BluetoothUUID(0x1801)))
        let generic = MutableCharacteristic(BluetoothUUID(0x1800), properties: .read, value: [])
        #expect(error(service(generic)) == .reserved(generic.uuid), "bluetoothd compares the UUIDs of all attributes")
        var own = level
        own.descriptors = [MutableDescriptor(BluetoothUUID(0x2902), value: [])]
        #expect(error(service(own)) == .reserved(BluetoothUUID(0x2902)))
        own.descriptors = [MutableDescriptor(BluetoothUUID(0x2901))]
        #expect(error(service(own)) == .inaccessibleDescriptor(BluetoothUUID(0x2901)))
        var including = service()
        including.includedServices = [battery.id]
        #expect(error(including, battery) == .missingIncludedService(battery.uuid))
        #expect(error(battery, including) == nil)
    }

    @Test func `services with more attributes than handles are refused, also together`() {
        let many = { (count: Int) in
            MutableService(
                BluetoothUUID(0x180F),
                characteristics: (0..<count).map { _ in
                    MutableCharacteristic(
                        BluetoothUUID(0x2A19), properties: .notify,
                        descriptors: [MutableDescriptor.userDescription("level")])
                })
        }
        #expect(many(2).attributeCount == 1 + 2 * 4)
        #expect(error(many(16_383)) == nil)
        #expect(error(many(16_383), many(1)) == .tooManyAttributes(count: 65_538))
    }

    @Test func `the values of the standard descriptors are those of the specification`() async throws {
        let central = Central([:])
        #expect(try await MutableDescriptor.userDescription("Sóc").read?(central) == [0x53, 0xC3, 0xB3, 0x63])
        let format = MutableDescriptor.presentationFormat(0x0E, exponent: -2, unit: 0x272F, description: 0x0106)
        #expect(try await format.read?(central) == [0x0E, 0xFE, 0x2F, 0x27, 0x01, 0x06, 0x01])
    }

    @Test func `the flags of a descriptor are what can be done with it, on its conditions`() {
        let uuid = BluetoothUUID(0x2901)
        #expect(MutableDescriptor(uuid, value: []).flags == ["read"])
        let secret = MutableDescriptor(
            uuid, permissions: [.readEncryptionRequired, .writeAuthenticationRequired], read: { _ in [] },
            write: { _, _ in })
        #expect(secret.flags == ["encrypt-read", "encrypt-authenticated-write"])
        #expect(MutableDescriptor(uuid, write: { _, _ in }).flags == ["write"])
    }
}

@Suite struct ATTErrorTests {
    @Test(arguments: [
        (ATTError.Code.notPermitted, "org.bluez.Error.NotPermitted", "why"),
        (.requestNotSupported, "org.bluez.Error.NotSupported", "why"),
        (.invalidOffset, "org.bluez.Error.InvalidOffset", "why"),
        (.insufficientAuthorization, "org.bluez.Error.NotAuthorized", "why"),
        (.invalidAttributeValueLength, "org.bluez.Error.InvalidValueLength", "why"),
        (.unlikelyError, "org.freedesktop.DBus.Error.Failed", "why"),
        (.application(), "org.bluez.Error.Failed", "0x80"), (.application(0x9F), "org.bluez.Error.Failed", "0x9f"),
        (.application(0xA0), "org.freedesktop.DBus.Error.Failed", "why"),
        (.application(0x7F), "org.freedesktop.DBus.Error.Failed", "why"),
        (.improperlyConfigured, "org.bluez.Error.ImproperlyConfigured", "why"),
        (.procedureAlreadyInProgress, "org.bluez.Error.InProgress", "why"),
    ])
    func `an error reaches bluetoothd under the name from which it makes the code`(
        code: ATTError.Code, name: String, message: String
    ) {
        let error = ATTError(code, "why")
        #expect(error.name == name)
        #expect(error.message == message)
        #expect("\(error)" == "why")
    }
}

extension OnTheBus {
    /// Descriptors and included services, by way of a simulated bluetoothd.
    @Suite struct ServiceTreeTests {
        private let daemon: BusDaemon
        private let battery = BluetoothUUID(0x180F)

        init() throws {
            daemon = try BusDaemon()
        }

        private func offer(
            _ services: [MutableService], _ body: (Bluetoothd, PeripheralManager) async throws -> Void
        ) async throws {
            let bluetoothd = try await Bluetoothd(daemon.address)
            try await withPeripheralManager(bus: daemon.address) { manager in
                for service in services { try manager.add(service) }
                try await bluetoothd.registrations.wait(until: "all services are offered") { registrations in
                    registrations.applications.last?.1.values.count { $0["org.bluez.GattService1"] != nil }
                        == services.count
                }
                try await body(bluetoothd, manager)
            }
        }

        @Test func `descriptors are read and written below their characteristic`() async throws {
            let written = Mutex<[[UInt8]]>([])
            let own = BluetoothUUID(0x2905)
            let descriptors: [MutableDescriptor] = [
                .userDescription("charge"),
                MutableDescriptor(
                    own,
                    write: { value, _ in
                        guard value.count == 1 else { throw ATTError(.invalidAttributeValueLength, "one byte") }
                        written.withLock { $0.append(value) }
                    }),
            ]
            let level = MutableCharacteristic(
                BluetoothUUID(0x2A19), properties: .read, descriptors: descriptors, value: [80])
            try await offer([MutableService(battery, characteristics: [level])]) { bluetoothd, _ in
                let characteristic = try #require(await bluetoothd.path(of: level.uuid.full))
                let path = try #require(await bluetoothd.path(of: BluetoothUUID(0x2901).full))
                #expect(
                    bluetoothd.registrations.value.properties("org.bluez.GattDescriptor1", at: path) == [
                        "UUID": .string(BluetoothUUID(0x2901).full), "Characteristic": .objectPath(characteristic),
                        "Flags": .strings(["read"]),
                    ])
                #expect(try await bluetoothd.read(path) == Array("charge".utf8))
                #expect(try await bluetoothd.read(path, from: 4) == Array("ge".utf8))
                #expect(try await bluetoothd.read(characteristic) == [80], "a static value")
                try await bluetoothd.write([7], to: own.full)
                await #expect(
                    throws: BusError.refused(name: "org.bluez.Error.InvalidValueLength", message: "one byte")
                ) { try await bluetoothd.write([7, 7], to: own.full) }
            }
            #expect(written.withLock(\.self) == [[7]])
        }

        @Test func `a service refers to the included ones, and is removed alone`() async throws {
            let included = MutableService(battery, characteristics: [], isPrimary: false)
            let level = MutableCharacteristic(BluetoothUUID(0x2A19), properties: .read, value: [80])
            let including = MutableService(
                BluetoothUUID(0x1812), characteristics: [level], includedServices: [included.id])
            try await offer([included, including]) { bluetoothd, manager in
                let services = { bluetoothd.registrations.value.applications.last?.1 ?? [:] }
                let properties = { (uuid: BluetoothUUID) in
                    services().compactMapValues { $0["org.bluez.GattService1"] }
                        .first { $0.value["UUID"] == .string(uuid.full) }
                }
                let first = try #require(properties(battery))
                #expect(first.value["Primary"] == .boolean(false))
                #expect(first.value["Includes"] == nil)
                let second = try #require(properties(including.uuid))
                #expect(second.value["Includes"] == .array(element: "o", [.objectPath(first.key)]))
                #expect(first.key < second.key, "bluetoothd adds them in this order")
                manager.remove(included.id)
                try await bluetoothd.registrations.wait(until: "one service is offered") { registrations in
                    registrations.applications.last?.1.values.count { $0["org.bluez.GattService1"] != nil } == 1
                }
                #expect(properties(including.uuid)?.value["Includes"] == nil)
                #expect(await bluetoothd.path(of: level.uuid.full) != nil)
                try manager.add(included)
                #expect(throws: PeripheralError.alreadyAdded(included.uuid)) { try manager.add(included) }
            }
        }
    }
}
