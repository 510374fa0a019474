import OkaeriTestSupport
import Testing

@testable import RegionMonitoring

@Suite struct GapTailTests {
    private func memory(_ gaps: [Double], listened: Double = 86_400) -> GapMemory<36> {
        var memory = GapMemory<36>()
        for gap in gaps { _ = memory.add(Float(gap), bin: GapBins.bin(of: Float(gap)), halfLife: 1e9) }
        let rest = listened - gaps.reduce(0, +)
        for _ in 0..<Int(max(0, rest)) { _ = memory.add(1, bin: GapBins.bin(of: 1), halfLife: 1e9) }
        return memory
    }

    @Test func `the exit time has the least cost of all`() throws {
        let tail = try #require(memory([12, 14, 15, 17, 21, 30]).tail(of: 6))
        for cost in [0.5, 10, 40] {
            let best = tail.exitTime(cost: cost * 86_400)
            func total(_ time: Double) -> Double { time + cost * 86_400 * tail.rate(beyond: time) }
            for other in stride(from: tail.start, to: 300, by: 0.5) {
                #expect(total(best) <= total(other) + 1e-6, "\(other) instead of \(best)")
            }
        }
    }

    @Test func `a false exit that costs more makes the time longer`() throws {
        let tail = try #require(memory([12, 14, 15, 17, 21, 30]).tail(of: 6))
        #expect(tail.exitTime(cost: 1e4) < tail.exitTime(cost: 1e5))
        #expect(tail.exitTime(cost: 0) == tail.start)
    }

    @Test func `gaps that hardly differ cause a time just beyond them, and gaps of all lengths one among them`() throws
    {
        let alike = try #require(memory([56.5, 57, 57.5, 58, 58.5, 59]).tail(of: 6))
        let apart = try #require(memory([20, 25, 30, 40, 50, 59]).tail(of: 6))
        let cost = 10.0 * 86_400
        #expect(alike.exitTime(cost: cost) > 59 && alike.exitTime(cost: cost) < 65)
        #expect(apart.exitTime(cost: cost) > 30 && apart.exitTime(cost: cost) < 59)
        #expect(apart.rate(beyond: apart.exitTime(cost: cost)) > 5 * alike.rate(beyond: alike.exitTime(cost: cost)))
    }

    @Test func `the mean length of a bin is that of its gaps, and never outside of it`() throws {
        let tail = try #require(memory(Array(repeating: 9.5, count: 6)).tail(of: 6))
        #expect(tail.start == 8 && abs(tail.scale - 1.5) < 1e-5 && abs(tail.longest - 9.5) < 1e-5)
        var sums = InlineArray<36, Float>(repeating: 0)
        var counts = InlineArray<36, Float>(repeating: 0)
        (counts[12], sums[12]) = (6, 1e9)
        let stored = try #require(GapMemory<36>(counts: counts, sums: sums, listened: 1000).tail(of: 6))
        #expect(stored.start == 8 && stored.longest == 10)
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func `a silence is within the exit time if and only if the whole estimate says so`(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var model = SilenceModel()
        model.isPhone = seed % 3 == 2
        for _ in 0..<400 {
            let gap = Float.random(in: 0.1...1, using: &random) * Float.random(in: 1...40, using: &random)
            let rssi = Int8.random(in: -95 ... -50, using: &random)
            model.heard(after: gap, elapsed: Double(gap), rssi: rssi, wasDeafOfLate: Bool.random(using: &random))
            for sensitivity in Sensitivity.allCases {
                let time = model.exitTime(sensitivity)
                for seconds in [time - 0.01, time, time + 0.01, .random(in: 8...400, using: &random)] {
                    let isPresent = model.isPresent(after: seconds, sensitivity)
                    #expect(isPresent == (seconds <= time))
                }
            }
        }
    }

    @Test func `so many gaps beyond a length are a tail that begins beyond it`() {
        var memory = memory([12, 14, 15, 17, 21, 30])
        for length in stride(from: 1.0, to: 40, by: 0.25) {
            for gaps in [1.0, 2, 5, 6] where memory.has(gaps, beyond: length) {
                #expect(memory.tail(of: gaps).map { $0.start > length } == true)
            }
        }
        let (two, three, none) = (memory.has(2, beyond: 17), memory.has(3, beyond: 17), memory.has(1, beyond: 30))
        #expect(two && !three && !none)
        var empty = GapMemory<36>()
        let isAny = empty.has(1, beyond: 1)
        #expect(!isAny)
    }

    @Test func `extreme values give a number`() throws {
        for gaps in [[1.0], [512, 512], Array(repeating: 300, count: 500)] {
            let tail = try #require(memory(gaps, listened: 0).tail(of: 6))
            for cost in [0, 1, 1e300] {
                #expect(tail.exitTime(cost: cost).isFinite && tail.exitTime(cost: cost) >= tail.start)
            }
            #expect(tail.rate(beyond: 1e300) == 0 && tail.rate(beyond: -1e300).isFinite)
        }
        #expect(GapMemory<36>().tail(of: 6) == nil)
    }
}
