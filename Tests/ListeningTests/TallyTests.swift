import OkaeriTestSupport
import Testing

@testable import OkaeriListening

@Suite struct TallyTests {
    @Test func `nothing has no median`() {
        #expect(Tally().quantile(0.5) == nil)
        #expect(Tally().largest(3).isEmpty)
    }

    @Test(arguments: 0..<20 as Range<UInt64>) func `it is as if all numbers were kept`(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let numbers = (0..<Int.random(in: 1...200, using: &random)).map { _ in
            Double(Int.random(in: 0...3000, using: &random)) / 1000
        }
        var tally = Tally()
        for number in numbers { tally.add(number) }
        let sorted = numbers.sorted()
        #expect(tally.count == numbers.count)
        #expect(tally.largest(7) == Array(sorted.reversed().prefix(7)))
        for part in [0.01, 0.25, 0.5, 0.9, 1] {
            let rank = Int((part * Double(sorted.count)).rounded(.up))
            #expect(tally.quantile(part) == sorted[max(rank, 1) - 1])
        }
    }

    @Test func `whatever number comes is counted`() {
        var tally = Tally()
        for number in [-1, -.infinity, .nan, .infinity, 1e300] { tally.add(number) }
        #expect(tally.count == 5)
        #expect(tally.largest(2) == [1e9, 1e9])
        #expect(tally.quantile(0.5) == 0)
    }
}
