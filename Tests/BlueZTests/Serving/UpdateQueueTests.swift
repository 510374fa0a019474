import Testing

@testable import BlueZ

@Suite struct UpdateQueueTests {
    private let level = MutableCharacteristic(BluetoothUUID(0x2A19), properties: .notify)

    private func entry(_ count: Int) -> UpdateQueue.Entry {
        .init(characteristic: level.id, value: Array(repeating: 1, count: count))
    }

    /// Appends values of one length. Returns the number of those that the queue took.
    private func fill(_ queue: inout UpdateQueue, with count: Int, times: Int = 1) -> Int {
        var taken = 0
        for _ in 0..<times where queue.append(entry(count)) { taken += 1 }
        return taken
    }

    @Test func `as many values wait as there is room for, with those that are being sent`() {
        var queue = UpdateQueue()
        let taken = fill(&queue, with: 1, times: 100)
        #expect(taken == UpdateQueue.capacity)
        let sending = queue.next()
        #expect(sending.count == UpdateQueue.capacity)
        let (more, overlapping) = (fill(&queue, with: 1), queue.next())
        #expect(more == 0, "those that are being sent count")
        #expect(overlapping.isEmpty, "one sending after another")
        let isAwaited = queue.sent()
        #expect(isAwaited, "a value was refused")
        let (last, rest) = (fill(&queue, with: 1), queue.next())
        #expect(last == 1 && rest == [entry(1)])
        let isAwaitedStill = queue.sent()
        #expect(!isAwaitedStill, "no value was refused since")
    }

    @Test func `the values have a bound in bytes`() {
        var queue = UpdateQueue()
        let long = fill(&queue, with: 512, times: 100)
        #expect(long == UpdateQueue.byteCapacity / 512)
        let (short, empty) = (fill(&queue, with: 1), fill(&queue, with: 0))
        #expect((short, empty) == (0, 1))
        _ = queue.next()
        let isAwaited = queue.sent()
        #expect(isAwaited)
        let again = fill(&queue, with: 512)
        #expect(again == 1)
    }
}
