import OkaeriTestSupport
import Testing

@testable import RegionMonitoring

@Suite struct DeadlineHeapTests {
    @Test(arguments: 0..<20 as Range<UInt64>)
    func `the earliest times come first, each sign once`(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var heap = DeadlineHeap()
        for count in [0, 1, 2, 50] {
            heap.removeAll(signs: count)
            var times: [Int: Int64] = [:]
            for _ in 0..<20 * count {
                let sign = Int.random(in: 0..<count, using: &random)
                let time = Int64.random(in: 0..<100, using: &random)
                let isDue = times.filter { $0.value <= time }
                #expect(heap.onlyDue(at: Instant(nanoseconds: time)) == (isDue.count == 1 ? isDue.first?.key : nil))
                if Bool.random(using: &random) {
                    times[sign] = time
                    heap.set(sign, to: time)
                } else if Bool.random(using: &random) {
                    times[sign] = nil
                    heap.remove(sign)
                } else if let popped = heap.popped(at: Instant(nanoseconds: time)) {
                    #expect(times[popped] == times.values.min())
                    times[popped] = nil
                } else {
                    #expect(times.values.allSatisfy { $0 > time })
                }
                #expect(heap.earliest?.nanoseconds == times.values.min())
                #expect(heap.signs.sorted() == times.keys.sorted())
            }
        }
    }

    @Test func `a sign without an end has no deadline, and stays`() {
        var heap = DeadlineHeap()
        heap.removeAll(signs: 2)
        heap.set(1, to: .max)
        #expect(heap.earliest == nil && heap.popped(at: Instant(nanoseconds: .max)) == nil)
        #expect(Array(heap.signs) == [1])
        heap.set(1, to: 5)
        #expect(heap.earliest == Instant(nanoseconds: 5) && heap.popped(at: Instant(nanoseconds: 4)) == nil)
        #expect(heap.popped(at: Instant(nanoseconds: 5)) == 1 && heap.earliest == nil)
    }
}
