import TestSupport
import Testing

@testable import Plumbing

@Suite struct ClockWatchTests {
    private let year: Int64 = 31_536_000_000_000_000

    @Test func `a clock that is set is noticed once, in either direction`() {
        var watch = ClockWatch(wall: evening, uptime: 0)
        #expect(watch.looked(wall: evening + nanoseconds(60), uptime: nanoseconds(60)) == nil)
        #expect(watch.looked(wall: evening + year + nanoseconds(70), uptime: nanoseconds(70)) == .nanoseconds(year))
        #expect(watch.looked(wall: evening + year + nanoseconds(80), uptime: nanoseconds(80)) == nil)
        #expect(
            watch.looked(wall: evening - year, uptime: nanoseconds(80)) == .nanoseconds(-2 * year - nanoseconds(80)))
    }

    @Test func `a leap second is nothing to speak of`() {
        var watch = ClockWatch(wall: evening, uptime: 0)
        #expect(watch.looked(wall: evening - nanoseconds(1), uptime: 0) == nil)
    }

    @Test func `absurd clocks do not trap`() {
        var watch = ClockWatch(wall: .min, uptime: .max)
        for (wall, uptime) in [(Int64.max, Int64.min), (0, 0), (.min, .max), (.max, .max)] {
            _ = watch.looked(wall: wall, uptime: uptime)
            #expect(watch.looked(wall: wall, uptime: uptime) == nil, "it was reported once")
        }
    }
}
