import IBeacon
import OkaeriPlumbing
import OkaeriTestSupport
import Testing

@Suite struct AdvertisedBatteryTests {
    private func percent(_ hexadecimal: String) throws -> UInt8? {
        let bytes = try #require([UInt8](hexadecimal: hexadecimal))
        return AdvertisedBattery.percent(advertisingData: bytes.span.bytes)
    }

    @Test(
        arguments: [
            // Battery Service, after flags and alone.
            ("020106" + "0416" + "0F18" + "0C", 12), ("0416" + "0F18" + "64", 100), ("0416" + "0F18" + "00", 0),
            // The example of Minew's "Mini BeaconPlus Configuration Instruction", and the same with 15 %.
            ("0201060303E1FF1316E1FFA10864001302E4CDAB504C5553303031", 100), ("0C16E1FFA1080F001302E4CDAB", 15),
            // Minew's measurements of temperature and humidity.
            ("1016E1FFA101611A4038C0001302E4CDAB", 97),
            // BTHome's example of a battery, with the name before it, and with the number of the packet.
            ("020106" + "0B094449592D73656E736F72" + "0616D2FC400161", 97), ("0816D2FC4000090161", 97),
            // A device that sends by a trigger.
            ("0616D2FC440132", 50),
            // The first structure has no level.
            ("0A16D2FC4002C40903BF13" + "0416" + "0F18" + "21", 33),
        ] as [(String, UInt8)])
    func `The level of a documented format is read`(data: String, level: UInt8) throws {
        #expect(try percent(data) == level)
    }

    @Test(arguments: [
        "", "020106", "0416" + "0F18" + "65", "0416" + "0F18" + "FF", "0316" + "0F18", "0516" + "0F18" + "0C" + "00",
        // BTHome: encrypted, of version 1, without a battery, and without its value.
        "0616D2FC410161", "0616D2FC200161", "0A16D2FC4002C40903BF13", "0516D2FC4001", "0416D2FC40", "0316D2FC",
        "0716D2FC40000901",
        // Minew: another frame, and a cut one.
        "0C16E1FFA20864001302E4CDAB", "0516E1FFA108", "0316E1FF",
        // Eddystone-TLM has the voltage.
        "0303AAFE1116AAFE20000BB81A000000000100000001",
        // Service data of 128 bits, and a structure that overruns.
        "0421" + "0F18" + "0C", "0916" + "0F18" + "0C",
    ])
    func `Other data has no level`(data: String) throws {
        #expect(try percent(data) == nil)
    }

    @Test func `Random data never traps, and no level exceeds 100`() {
        var generator = SeededGenerator(seed: 0xBA77)
        let services: [[UInt8]] = [[0x0F, 0x18], [0xD2, 0xFC, 0x40], [0xE1, 0xFF, 0xA1]]
        for round in 0..<30_000 {
            let random = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            let data = [UInt8.random(in: 0...20, using: &generator), 0x16] + services[round % 3] + random
            let percent = AdvertisedBattery.percent(advertisingData: data.span.bytes)
            #expect(percent.map { $0 <= 100 } ?? true)
        }
    }
}
