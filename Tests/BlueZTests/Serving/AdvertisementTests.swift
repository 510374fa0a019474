import OkaeriDBus
import Testing

@testable import BlueZ

@Suite struct AdvertisementTests {
    private let own = BluetoothUUID("0B9A0001-27E5-4F0C-8A38-6D1C7E0F5A21")

    @Test func `an iBeacon takes 27 of the 31 bytes`() throws {
        let beacon = Advertisement(.broadcast, manufacturerData: [0x004C: Array(repeating: 0, count: 23)])
        #expect(beacon.byteCount == 27)
        try beacon.check()
    }

    @Test func `what is too long is refused, by its length`() throws {
        let fits = Advertisement(.connectable, manufacturerData: [0xFFFF: Array(repeating: 0, count: 24)])
        try fits.check()
        let over = Advertisement(.connectable, manufacturerData: [0xFFFF: Array(repeating: 0, count: 25)])
        #expect(throws: AdvertisementError.tooLong(byteCount: 32)) { try over.check() }
    }

    @Test func `the bytes for the kernel are those that bluetoothd sends`() throws {
        let heart = Advertisement(
            .connectable, localName: "Okaeri", serviceUUIDs: [BluetoothUUID(0x180D), BluetoothUUID(0x180A)],
            manufacturerData: [0x004C: [2, 21]], appearance: 0x0340)
        #expect(
            heart.data == [5, 3, 0x0D, 0x18, 0x0A, 0x18, 3, 0x19, 0x40, 0x03, 5, 0xFF, 0x4C, 0x00, 2, 21])
        #expect(heart.data.count + 3 == heart.byteCount)
        #expect(heart.scanResponse == [7, 9] + Array("Okaeri".utf8))
        let long = Advertisement(.broadcast, serviceUUIDs: [try #require(own)])
        #expect(long.data.count == 18 && Array(long.data.prefix(4)) == [17, 7, 0x21, 0x5A] && long.data.last == 0x0B)
        #expect(long.scanResponse.isEmpty && long.data.count == long.byteCount)
    }

    @Test func `services of one length share a list`() throws {
        let uuids = [BluetoothUUID(0x180F), BluetoothUUID(0x180A), try #require(own)]
        #expect(Advertisement(.connectable, serviceUUIDs: uuids).byteCount == 3 + 6 + 18)
    }

    @Test(arguments: [
        ("Okaeri raspberrypi", "Okaeri raspberrypi"),
        ("Okaeri a-machine-with-a-long-name", "Okaeri a-machine-with-a-long-"),
        ("お帰りお帰りお帰りお帰り", "お帰りお帰りお帰り"), ("", ""),
    ]) func `a name is cut between characters`(name: String, fitting: String) throws {
        #expect(Advertisement.localName(fitting: name) == fitting)
        try Advertisement(.connectable, localName: fitting).check()
    }

    @Test func `a name that does not fit is refused`() {
        let name = String(repeating: "a", count: 30)
        #expect(throws: AdvertisementError.nameTooLong(name)) {
            try Advertisement(.connectable, localName: name).check()
        }
    }

    @Test func `BlueZ receives all of it`() throws {
        let advertisement = Advertisement(
            .connectable, localName: "Okaeri", serviceUUIDs: [try #require(own)], manufacturerData: [0x004C: [2, 21]],
            interval: .milliseconds(100))
        #expect(
            advertisement.interface {}.values == [
                "Type": .string("peripheral"), "Discoverable": .boolean(true), "LocalName": .string("Okaeri"),
                "ServiceUUIDs": .strings(["0b9a0001-27e5-4f0c-8a38-6d1c7e0f5a21"]),
                "ManufacturerData": .dictionary(
                    key: "q", value: "v", [.uint16(0x004C): .variant(.bytes([2, 21]))]),
                "MinInterval": .uint32(100), "MaxInterval": .uint32(100),
            ])
        #expect(Advertisement(.broadcast).interface {}.values == ["Type": .string("broadcast")])
    }
}
