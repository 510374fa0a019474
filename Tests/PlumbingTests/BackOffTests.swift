import Plumbing
import Testing

@Suite struct BackOffTests {
    @Test func itDoublesUpToTheLimitAndBeginsAnew() {
        var backOff = BackOff(.seconds(1), limit: .seconds(5))
        #expect((0..<5).map { _ in backOff.next() } == [1, 2, 4, 5, 5].map { .seconds($0) })
        backOff.reset()
        #expect(backOff.next() == .seconds(1))
    }

    @Test func ofAClockItGivesTheTime() {
        var backOff = BackOff(.seconds(1), limit: .seconds(60))
        #expect(backOff.next(after: 100) == 1_000_000_100)
        #expect(backOff.delay == .seconds(2), "to look at it is not to use it")
        #expect(backOff.nanoseconds == 2_000_000_000)
        #expect(backOff.next(after: .max - 1) == .max, "the end of time is as far as it goes")
    }

    @Test(arguments: [Duration.zero, .seconds(-5), .seconds(Int64.min)])
    func aDelayOfNothingIsNoLoop(_ first: Duration) {
        var backOff = BackOff(first, limit: .zero)
        #expect((0..<3).map { _ in backOff.next() } == Array(repeating: .milliseconds(1), count: 3))
    }

    @Test func theLongestDelayDoesNotOverflow() {
        var backOff = BackOff(.seconds(Int64.max / 3_000_000_000), limit: .seconds(Int64.max))
        for _ in 0..<3 { _ = backOff.next() }
        #expect(backOff.next() == .nanoseconds(Int64.max))
    }
}
