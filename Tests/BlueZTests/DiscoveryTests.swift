@testable import BlueZ
import OkaeriDBus
import Testing

/// The reading of a device's properties, whatever they are.
@Suite struct DiscoveryTests {
    private func discovery(_ properties: ObjectTree.Properties) -> Discovery? {
        Discovery(properties.merging(["Address": .string("AA:00")]) { first, _ in first })
    }

    /// The search is cancelled later, by a task that needs a thread of the pool, too.
    @Test(.timeLimit(.minutes(1))) func `the search for peripherals ends with its manager, before it is cancelled`()
        async
    {
        let mirror = ObjectMirror(address: "unix:path=/nonexistent")
        let search = Task { await DiscoveryDriver(mirror: mirror, adapter: nil).run() }
        mirror.stop()
        await search.value
        #expect(!search.isCancelled)
    }

    @Test func `a device without more than an address is one`() {
        let bare = discovery([:])
        #expect(bare?.manufacturerData == [:])
        #expect(bare?.serviceData == [:])
        #expect(bare?.txPower == nil)
        #expect(Discovery([:]) == nil)
    }

    @Test func `of advertised data what is as it should be is taken`() {
        let bytes = DBusValue.variant(.bytes([1, 2]))
        let taken = discovery([
            "ManufacturerData": .dictionary(
                key: "q", value: "v",
                [
                    .uint16(0x004C): bytes, .uint16(1): .variant(.string("text")), .int32(-1): bytes,
                    .int32(65536): bytes,
                ]),
            "ServiceData": .dictionary(
                key: "s", value: "v",
                [
                    .string("0000180f-0000-1000-8000-00805f9b34fb"): bytes, .string("no uuid"): bytes,
                    .string("180A"): .variant(.byte(1)),
                ]),
        ])
        #expect(taken?.manufacturerData == [0x004C: [1, 2]])
        #expect(taken?.serviceData == [BluetoothUUID(0x180F): [1, 2]])
    }

    @Test(arguments: [DBusValue.boolean(true), .bytes([1]), .strings(["a"]), .int64(.max), .structure([])])
    func `what is something else altogether is left out`(value: DBusValue) {
        let taken = discovery(["ManufacturerData": value, "ServiceData": value, "TxPower": value])
        #expect(taken == discovery([:]))
    }

    @Test(arguments: [(-127, -127), (127, 127), (128, nil), (-129, nil)] as [(Int16, Int16?)])
    func `a power is one that can be advertised`(value: Int16, taken: Int16?) {
        #expect(discovery(["TxPower": .int16(value)])?.txPower == taken)
    }
}
