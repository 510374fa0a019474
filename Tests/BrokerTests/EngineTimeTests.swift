import Testing

@testable import OkaeriHouse

@Suite struct EngineTimeTests {
    private var time = EngineTime()

    private static func seconds(_ value: Int64) -> Int64 { value * 1_000_000_000 }

    /// Returns a time in seconds, as a report at `own` has it.
    private mutating func map(_ value: Int64, engine: Int64, own: Int64) -> Int64 {
        let times = time.updated(engine: Self.seconds(engine), own: Self.seconds(own))
        return times(Self.seconds(value)) / 1_000_000_000
    }

    @Test mutating func `a time is moved by the difference of the clocks`() {
        #expect(map(50, engine: 1000, own: 50) == 1000)
        #expect(map(40, engine: 1000, own: 50) == 990)
        #expect(map(60, engine: 1000, own: 50) == 1000, "not later than now")
        #expect(map(140, engine: 1100, own: 150) == 1090)
        #expect(map(40, engine: 1100, own: 150) == 990)
    }

    @Test mutating func `what was received while the engine's clock stood still is not older than that`() {
        _ = map(50, engine: 1000, own: 50)
        // The engine did not run for 900 s; the messages of this time come at once, one after the other.
        for value: Int64 in [40, 60, 500, 900, 950] {
            #expect(map(value, engine: 1000, own: 950) == min(1000, value + 950), "\(value)")
        }
        // It runs again.
        for (value, expected): (Int64, Int64) in [(949, 1000), (955, 1005), (960, 1010), (700, 1000), (45, 995)] {
            #expect(map(value, engine: 1010, own: 960) == expected, "\(value)")
        }
    }

    @Test mutating func `a capture that continues after it stood still is the present again`() {
        _ = map(50, engine: 1000, own: 50)
        _ = map(59, engine: 1000, own: 60)
        #expect(map(55, engine: 1000, own: 60) == 1000)
        // Its clock is where it would be without the standstill.
        #expect(map(55, engine: 1010, own: 60) == 1005)
        #expect(map(61, engine: 1011, own: 61) == 1011)
    }
}
