import OkaeriPlumbing
import Testing

@Suite struct BackOffTests {
    @Test func `the delay doubles up to the limit, and is short again after a reset`() {
        var backOff = BackOff(.seconds(1), limit: .seconds(5))
        #expect((0..<5).map { _ in backOff.next() } == [1, 2, 4, 5, 5].map { .seconds($0) })
        backOff.reset()
        #expect(backOff.next() == .seconds(1))
    }

    @Test func `the time of the next attempt is that of the clock`() {
        var backOff = BackOff(.seconds(1), limit: .seconds(60))
        #expect(backOff.next(after: 100) == 1_000_000_100)
        #expect(backOff.delay == .seconds(2), "to look at it is not to use it")
        #expect(backOff.nanoseconds == 2_000_000_000)
        #expect(backOff.next(after: .max - 1) == .max, "the end of time is as far as it goes")
    }

    @Test(arguments: [Duration.zero, .seconds(-5), .seconds(Int64.min)])
    func `a delay of zero does not cause a loop`(_ first: Duration) {
        var backOff = BackOff(first, limit: .zero)
        #expect((0..<3).map { _ in backOff.next() } == Array(repeating: .milliseconds(1), count: 3))
    }

    @Test func `the longest delay does not overflow`() {
        var backOff = BackOff(.seconds(Int64.max / 3_000_000_000), limit: .seconds(Int64.max))
        for _ in 0..<3 { _ = backOff.next() }
        #expect(backOff.next() == .nanoseconds(Int64.max))
    }
}
