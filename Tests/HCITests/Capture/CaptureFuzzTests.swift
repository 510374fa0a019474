import HCI
import OkaeriTestSupport
import Testing

struct CaptureFuzzTests {
    @Test func `random bytes end in an error or in packets, never in more than a buffer's worth of need`() {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<2_000 {
            let count = Int.random(in: 0..<300, using: &random)
            let noise = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            for sample in [[], CaptureSample.all[Int.random(in: 0..<CaptureSample.all.count, using: &random)].bytes] {
                let reading = CaptureReading(sample.prefix(60) + noise, chunk: 50)
                #expect(reading.largestNeed <= CaptureReader.largestNeed)
                #expect(reading.records.allSatisfy { $0.upperBound <= UInt64(sample.prefix(60).count + count) })
            }
        }
    }

    @Test(arguments: CaptureSample.all)
    func `damaged files are read the same in pieces as at once`(_ sample: CaptureSample) {
        var random = SeededGenerator(seed: 2)
        for _ in 0..<1_000 {
            var bytes = sample.bytes
            for _ in 0...Int.random(in: 0..<4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                case 1: bytes[place] = [0x00, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0
                case 2: bytes.remove(at: place)
                default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
                }
            }
            let whole = CaptureReading(bytes)
            let pieces = CaptureReading(bytes, chunk: 13)
            #expect(whole.packets == pieces.packets)
            #expect(whole.error == pieces.error)
            #expect(whole.largestNeed <= CaptureReader.largestNeed)
        }
    }
}
