import Testing

@testable import BlueZ

@Suite struct LongReadsTests {
    private let start = ContinuousClock.now

    private func key(_ central: Int) -> String { "dev_\(central)" }

    @Test func `a reading goes on until its central is silent for half a minute`() {
        var reads = LongReads()
        reads.begin(key(1), [1], at: start)
        #expect(reads.value(key(1), at: start + .seconds(29)) == [1])
        #expect(reads.value(key(1), at: start + .seconds(58)) == [1])
        #expect(reads.value(key(1), at: start + .seconds(88)) == nil)
        #expect(reads.value(key(2), at: start) == nil)
    }

    @Test func `so many read at once, and a further one takes the place of the one that waited longest`() {
        var reads = LongReads()
        for central in 0..<LongReads.capacity {
            reads.begin(key(central), [1], at: start + .seconds(1) / (central + 1))
        }
        reads.begin(key(LongReads.capacity), [2], at: start + .seconds(2))
        #expect(reads.value(key(LongReads.capacity), at: start + .seconds(2)) == [2])
        #expect(reads.value(key(LongReads.capacity - 1), at: start + .seconds(2)) == nil)
        #expect(reads.value(key(0), at: start + .seconds(2)) == [1])
    }
}
