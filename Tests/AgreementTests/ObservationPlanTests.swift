import RegionMonitoring
import TestSupport
import Testing

@testable import Agreement

/// The observations of a node, and their frequency.
@Suite struct ObservationPlanTests {
    private var plan = ObservationPlan(regions: ["keys", "car"], incarnation: "a", offset: 3)
    private var reported: [(at: Double, observation: Observation)] = []

    private static func instant(_ seconds: Double) -> Int64 { Int64(seconds * 1e9) }

    private mutating func take(_ publications: [ObservationPlan.Publication], at now: Double) {
        reported += publications.filter { $0.region == "keys" }.map { (now, $0.observation) }
    }

    /// Every timer until then.
    private mutating func pass(to end: Double) {
        while let due = plan.nextDeadline, due <= Self.instant(end) {
            take(plan.advanced(to: due), at: Double(due) / 1e9)
        }
    }

    private mutating func enter(at now: Double) {
        take(plan.connected(at: Self.instant(now)), at: now)
        take(plan.determined("keys", .inside, at: Self.instant(now)), at: now)
    }

    /// Ten adverts a second.
    private mutating func hear(from begin: Double, to end: Double, _ rssi: (Double) -> Int8) {
        for step in 0..<Int(((end - begin) * 10).rounded()) {
            let now = begin + Double(step) / 10
            pass(to: now)
            take(plan.heard("keys", rssi: rssi(now), at: Self.instant(now)), at: now)
        }
    }

    @Test mutating func `a state is published at once, and once`() {
        take(plan.connected(at: 0), at: 0)
        #expect(reported.map(\.observation.state) == [.unknown])
        take(plan.determined("keys", .outside, at: 1), at: 0)
        take(plan.determined("keys", .outside, at: 2), at: 0)
        #expect(reported.map(\.observation.state) == [.unknown, .outside])
        #expect(plan.determined("unknown", .inside, at: 3) == [])
        #expect(plan.heard("unknown", rssi: -60, at: 3) == [])
    }

    @Test mutating func `each word has a number above that of the one before`() {
        enter(at: 0)
        hear(from: 0, to: 30) { _ in -60 }
        take(plan.connected(at: Self.instant(31)), at: 31)
        let numbers = reported.map(\.observation.sequence)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
        #expect(reported.allSatisfy { $0.observation.incarnation == "a" })
    }

    @Test mutating func `a beacon at rest costs little, whatever its noise`() {
        for noise in [0.0, 2, 5] {
            var generator = SeededGenerator(seed: 1)
            (plan, reported) = (ObservationPlan(regions: ["keys"], incarnation: "a"), [])
            enter(at: 0)
            hear(from: 0, to: 300) { _ in Int8(-70 + Double.random(in: -1.7...1.7, using: &generator) * noise) }
            #expect(reported.count < 360, "\(noise) dB: \(reported.count) words in 300 s")
            #expect(reported.count >= 60, "it is said again every five seconds")
        }
    }

    @Test mutating func `a moving beacon is published twice a second at most`() throws {
        enter(at: 0)
        hear(from: 0, to: 20) { Int8(-90 + $0 * 2) }
        #expect(reported.count <= 20 * 2 + 2)
        let last = try #require(reported.last?.observation.signal)
        #expect(abs(last - -48) < 2.5, "with the offset of 3 dB: \(last)")
    }

    @Test
    mutating func
        `a beacon that is not received any more has no signal, and is inside until the monitor decides otherwise`()
        throws
    {
        enter(at: 0)
        hear(from: 0, to: 10) { _ in -60 }
        pass(to: 20)
        let last = try #require(reported.last).observation
        #expect(last.state == .inside && last.signal == nil && last.spread == nil)
        let silence = try #require(reported.first { $0.at > 10 && $0.observation.signal == nil })
        #expect(silence.at < 14.5, "reported at \(silence.at)")
        #expect(try #require(last.age) > 5)
    }

    @Test mutating func `outside is said again every five minutes`() {
        take(plan.connected(at: 0), at: 0)
        take(plan.determined("keys", .outside, at: 0), at: 0)
        reported = []
        pass(to: 1201)
        #expect(reported.map(\.at) == [300, 600, 900, 1200])
    }

    @Test mutating func `a region that stays keeps what is known of it`() {
        enter(at: 0)
        let publications = plan.regionsReplaced(with: ["bike", "keys"], at: Self.instant(1))
        #expect(publications.map(\.region) == ["bike"])
        #expect(plan.connected(at: Self.instant(2)).map(\.observation.state) == [.unknown, .inside])
    }
}
