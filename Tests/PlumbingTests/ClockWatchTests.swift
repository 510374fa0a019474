import OkaeriTestSupport
import Testing

@testable import OkaeriPlumbing

@Suite struct ClockWatchTests {
    private let year: Int64 = 31_536_000_000_000_000

    @Test func `a clock that is set is noticed once, in either direction`() {
        var watch = ClockWatch(at: Moment(instant: 0, wall: evening))
        #expect(watch.looked(at: Moment(instant: nanoseconds(60), wall: evening + nanoseconds(60))) == nil)
        #expect(
            watch.looked(at: Moment(instant: nanoseconds(70), wall: evening + year + nanoseconds(70)))
                == .nanoseconds(year))
        #expect(watch.looked(at: Moment(instant: nanoseconds(80), wall: evening + year + nanoseconds(80))) == nil)
        #expect(
            watch.looked(at: Moment(instant: nanoseconds(80), wall: evening - year))
                == .nanoseconds(-2 * year - nanoseconds(80)))
    }

    @Test func `a leap second is nothing to speak of`() {
        var watch = ClockWatch(at: Moment(instant: 0, wall: evening))
        #expect(watch.looked(at: Moment(instant: 0, wall: evening - nanoseconds(1))) == nil)
    }

    @Test func `absurd clocks do not trap`() {
        var watch = ClockWatch(at: Moment(instant: .max, wall: .min))
        for (wall, uptime) in [(Int64.max, Int64.min), (0, 0), (.min, .max), (.max, .max)] {
            _ = watch.looked(at: Moment(instant: uptime, wall: wall))
            #expect(watch.looked(at: Moment(instant: uptime, wall: wall)) == nil, "it was reported once")
        }
    }
}
