import HCI
import Testing

@Suite struct ScanTimeTests {
    @Test func `the range is the specification's`() throws {
        #expect(try ScanTime(units: 4).milliseconds == 2.5)
        #expect(try ScanTime(units: 0x4000).milliseconds == 10_240)
        #expect(throws: HCIDecodingError.self) { try ScanTime(units: 3) }
        #expect(throws: HCIDecodingError.self) { try ScanTime(units: 0x4001) }
    }

    @Test func `milliseconds are rounded to units`() throws {
        #expect(try ScanTime(milliseconds: 100).units == 160)
        #expect(try ScanTime(milliseconds: 2.5).units == 4)
        #expect(try ScanTime(milliseconds: 10_240).units == 0x4000)
        #expect(throws: HCIDecodingError.self) { try ScanTime(milliseconds: 10_241) }
    }

    @Test(arguments: [0, -1, 2, .nan, .infinity, -.infinity, 1e300])
    func `nonsense is refused`(_ milliseconds: Double) {
        #expect(throws: HCIDecodingError.self) { try ScanTime(milliseconds: milliseconds) }
    }

    @Test func `the window is at most the interval`() throws {
        let short = try ScanTime(units: 16)
        let long = try ScanTime(units: 17)
        #expect(try ScanTiming(interval: short, window: short).window == short)
        #expect(throws: HCIDecodingError.self) { try ScanTiming(interval: short, window: long) }
        #expect(ScanTiming.shared.window < ScanTiming.shared.interval)
    }
}
