import BlueZ
import Testing

@Suite struct BluetoothUUIDTests {
    @Test func `however it is written, it is the same`() {
        let battery = BluetoothUUID(0x180F)
        for text in [
            "180F", "180f", "0x180F", "0000180F", "0000180f-0000-1000-8000-00805f9b34fb",
            "0000180F00001000800000805F9B34FB",
        ] {
            #expect(BluetoothUUID(text) == battery, "\(text)")
        }
        #expect(battery.description == "180F")
        #expect(battery.full == "0000180f-0000-1000-8000-00805f9b34fb")
        #expect(battery.assigned == 0x180F)
    }

    @Test func `one of 32 bits keeps all of them`() {
        let uuid = BluetoothUUID("12345678")
        #expect(uuid?.description == "12345678")
        #expect(uuid?.full == "12345678-0000-1000-8000-00805f9b34fb")
    }

    @Test func `a vendor's UUID has 128 bits`() throws {
        let text = "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"
        let uuid = try #require(BluetoothUUID(text))
        #expect(uuid.description == text)
        #expect(uuid.full == text.lowercased())
        #expect(uuid.assigned == nil)
        #expect(uuid.serviceName == nil)
    }

    @Test(arguments: [
        "", "1", "180", "180FF", "180G", "0x", "0x180", "0x0000180F-0000-1000-8000-00805F9B34FB", "-180F", "+180",
        "180F-", "6E400001B5A3-F393-E0A9-E50E24DCCA9E", "6E400001-B5A3-F393-E0A9-E50E24DCCA9", "１８０F",
        "6E400001-B5A3-F393-E0A9-E50E24DCCA9EE", "----", "0x6E400001B5A3F393E0A9E50E24DCCA9E",
    ]) func `what is not one is refused`(_ text: String) {
        #expect(BluetoothUUID(text) == nil)
    }

    @Test func `the SIG's names`() {
        #expect(BluetoothUUID(0x180F).serviceTitle == "Battery (180F)")
        #expect(BluetoothUUID(0x2A19).characteristicTitle == "Battery Level (2A19)")
        #expect(BluetoothUUID(0x2A19).serviceName == nil, "a characteristic is not a service")
        #expect(BluetoothUUID(0xFFF0).serviceTitle == "FFF0")
        #expect(BluetoothUUID(0x0001_180F).serviceName == nil, "of 32 bits, only its end is the same")
    }
}
