import OkaeriDBus
import OkaeriTestSupport
import Synchronization
import Testing

@testable import BlueZ

extension OnTheBus {
    /// The values that centrals read and write, by way of a simulated bluetoothd.
    @Suite struct ServingTests {
        private let daemon: BusDaemon
        private let level = BluetoothUUID(0x2A19)
        private let alert = BluetoothUUID(0x2A06)

        init() throws {
            daemon = try BusDaemon()
        }

        /// Offers a service and runs the body as soon as centrals find it.
        private func offer(
            _ service: MutableService, _ body: (Bluetoothd, PeripheralManager) async throws -> Void
        ) async throws {
            let bluetoothd = try await Bluetoothd(daemon.address)
            try await withPeripheralManager(bus: daemon.address) { manager in
                try manager.add(service)
                for await event in manager.events { if case .didAddServices = event { break } }
                try await body(bluetoothd, manager)
            }
        }

        private func refused(_ name: String, _ message: String) -> BusError {
            .refused(name: "org.bluez.Error.\(name)", message: message)
        }

        @Test func `the tree of objects is the service's`() async throws {
            let service = MutableService(
                BluetoothUUID(0x180F),
                characteristics: [
                    .init(level, properties: [.read, .notify]),
                    .init(alert, properties: [.write], permissions: .writeEncryptionRequired),
                    .init(BluetoothUUID(0x2A07), properties: [.writeWithoutResponse, .indicate]),
                    .init(BluetoothUUID(0x2A08), properties: .read, permissions: .readEncryptionRequired),
                    .init(
                        BluetoothUUID(0x2A0F), properties: [.notifyEncryptionRequired, .indicateEncryptionRequired]),
                    .init(
                        BluetoothUUID(0x2A2B), properties: .writeWithoutResponse, permissions: .writeEncryptionRequired
                    ),
                ])
            try await offer(service) { bluetoothd, _ in
                let objects = await bluetoothd.applications[0].1
                let services = objects.filter { $0.value["org.bluez.GattService1"] != nil }
                #expect(services.count == 1)
                let path = try #require(services.first?.key)
                #expect(
                    services[path]?["org.bluez.GattService1"]
                        == ["UUID": .string(BluetoothUUID(0x180F).full), "Primary": .boolean(true)])
                let characteristics = objects.sorted { $0.key < $1.key }.compactMap {
                    $0.value["org.bluez.GattCharacteristic1"]
                }
                #expect(characteristics.allSatisfy { $0["Service"] == .objectPath(path) })
                #expect(
                    characteristics.map { $0["Flags"]?.strings } == [
                        ["read", "notify"], ["encrypt-write"], ["write-without-response", "indicate"], ["encrypt-read"],
                        ["notify", "encrypt-notify", "indicate", "encrypt-indicate"],
                        ["write-without-response", "encrypt-write"],
                    ])
            }
        }

        @Test func `a long read is of one value, and each central has its own`() async throws {
            let value = Mutex<[UInt8]>(Array(0..<50))
            let service = MutableService.sample { _ in value.withLock(\.self) }
            try await offer(service) { bluetoothd, _ in
                let uuid = level.full
                let whole = try await bluetoothd.read(uuid)
                #expect(whole == Array(0..<50))
                value.withLock { $0 = [9, 9, 9] }
                #expect(try await bluetoothd.read(uuid, by: "AA_00_00_00_00_02") == [9, 9, 9])
                #expect(try await bluetoothd.read(uuid, from: 22) == Array(22..<50))
                #expect(try await bluetoothd.read(uuid, from: 50) == [])
                await #expect(throws: refused("InvalidOffset", "byte 51 of a value that has 50 cannot be read")) {
                    try await bluetoothd.read(uuid, from: 51)
                }
                // A new read is of what is so now.
                #expect(try await bluetoothd.read(uuid) == [9, 9, 9])
                await #expect(throws: refused("InvalidOffset", "byte 4 of a value that has 3 cannot be read")) {
                    try await bluetoothd.read(uuid, from: 4)
                }
                await #expect(throws: refused("InvalidOffset", "byte -1 of a value that has 3 cannot be read")) {
                    try await bluetoothd.read(uuid, from: -1)
                }
            }
        }

        @Test func `no more is sent than a value can have`() async throws {
            let service = MutableService.sample { _ in Array(repeating: 7, count: 600) }
            try await offer(service) { bluetoothd, _ in
                let (whole, end) = (
                    try await bluetoothd.read(level.full), try await bluetoothd.read(level.full, from: 500)
                )
                #expect(whole.count == 512)
                #expect(end.count == 12)
            }
        }

        @Test func `a central is known by its address and by what a notification takes to it`() async throws {
            let seen = Mutex<[Central]>([])
            let service = MutableService.sample { central in
                seen.withLock { $0.append(central) }
                return []
            }
            try await offer(service) { bluetoothd, _ in
                _ = try await bluetoothd.read(level.full, by: "AA_00_00_00_00_02", mtu: 517)
                _ = try await bluetoothd.read(level.full, mtu: 0)
            }
            #expect(seen.withLock { $0.map(\.address) } == ["AA:00:00:00:00:02", "AA:00:00:00:00:01"])
            #expect(seen.withLock { $0.map(\.maximumUpdateValueLength) } == [514, 20])
        }

        @Test func `a write arrives, or is refused by its reason`() async throws {
            let written = Mutex<[[UInt8]]>([])
            let service = MutableService.sample(
                write: { value, _ throws(ATTError) in
                    guard value.count == 1 else { throw ATTError(.invalidAttributeValueLength, "one byte is taken") }
                    guard value[0] < 3 else { throw ATTError(.requestNotSupported, "no such level") }
                    guard value[0] > 0 else { throw ATTError(.application(0x85), "not now") }
                    written.withLock { $0.append(value) }
                })
            try await offer(service) { bluetoothd, _ in
                let uuid = alert.full
                try await bluetoothd.write([2], to: uuid)
                await #expect(throws: refused("InvalidValueLength", "one byte is taken")) {
                    try await bluetoothd.write([1, 1], to: uuid)
                }
                await #expect(throws: refused("NotSupported", "no such level")) {
                    try await bluetoothd.write([3], to: uuid)
                }
                await #expect(throws: refused("Failed", "0x85")) { try await bluetoothd.write([0], to: uuid) }
                await #expect(throws: refused("InvalidOffset", "a value is written from its beginning")) {
                    try await bluetoothd.write([1], to: uuid, at: 1)
                }
                await #expect(throws: refused("NotSupported", "it cannot be read")) { try await bluetoothd.read(uuid) }
                await #expect(throws: refused("NotSupported", "it cannot be written")) {
                    try await bluetoothd.write([1], to: level.full)
                }
            }
            #expect(written.withLock(\.self) == [[2]])
        }

        @Test func `an error of the program reaches the central as an unlikely error`() async throws {
            struct Full: Error, CustomStringConvertible {
                var description: String { "the store\nis full" }
            }
            let service = MutableService.sample(read: { _ in throw Full() }, write: { _, _ in throw Full() })
            try await offer(service) { bluetoothd, _ in
                let unlikely = BusError.refused(
                    name: "org.freedesktop.DBus.Error.Failed", message: "the store is full")
                await #expect(throws: unlikely) { try await bluetoothd.write([1], to: alert.full) }
                await #expect(throws: unlikely) { try await bluetoothd.read(level.full) }
            }
        }

        @Test func `services that are added later take the place of what was offered`() async throws {
            try await offer(.sample()) { bluetoothd, manager in
                let later = BluetoothUUID(0x2A00)
                try manager.add(
                    MutableService(BluetoothUUID(0x180A), characteristics: [.init(later, properties: .read)]))
                try await bluetoothd.registrations.wait(until: "the later service is offered") {
                    $0.path(of: later.full) != nil
                }
                #expect(await bluetoothd.path(of: level.full) != nil)
                #expect(await bluetoothd.applications.count == 1)
                manager.removeAllServices()
                try await bluetoothd.registrations.wait(until: "no service is offered") { $0.applications.isEmpty }
            }
        }
    }
}
