import OkaeriTestSupport
import Testing

@testable import OkaeriEvents
@testable import OkaeriHistory

/// The record of a day after the wall clock was set, forwards or back, with and without a running daemon.
@Suite struct ClockJumpTests {
    /// A stretch of the wall's clock, as a run saw it.
    private struct Observation {
        var time: Range<Int64>
        var region: String
        var state: String
    }

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `an hour that comes twice is shown as it was the second time`() throws {
        let store = try folder.store()
        try store.record([determined("home", "inside", at: hour(8)), bluetooth("poweredOff", at: hour(9))], [])
        try store.runEnded(at: hour(12))
        // The clock is set back by two hours.
        let next = try folder.store()
        try next.record([determined("home", "outside", at: hour(10)), bluetooth("poweredOn", at: hour(10))], [])
        try next.runEnded(at: hour(11))
        let record = try folder.reader().day(from: hour(0), to: hour(24), now: hour(24))
        #expect(
            record.regions.map(\.spans) == [
                [
                    .init(time: hour(8)..<hour(10), value: "inside"),
                    .init(time: hour(10)..<hour(11), value: "outside"),
                    .init(time: hour(11)..<hour(12), value: "inside"),
                ]
            ])
        #expect(record.outages == [.init(time: hour(9)..<hour(12), value: "it is poweredOff")])
        #expect(record.unwatched == [hour(0)..<hour(8), hour(12)..<hour(24)])
    }

    @Test func `what was seen before the clock was set back under a power cut is not lost`() throws {
        let store = try folder.store()
        try store.record([determined("home", "inside", at: hour(8)), bluetooth("poweredOn", at: hour(9))], [])
        let next = try folder.store()
        try next.record([determined("home", "outside", at: hour(5))], [])
        try next.runEnded(at: hour(6))
        let record = try folder.reader().day(from: hour(0), to: hour(24), now: hour(24))
        #expect(
            record.regions.first?.spans == [
                .init(time: hour(5)..<hour(6), value: "outside"), .init(time: hour(8)..<hour(9), value: "inside"),
            ])
    }

    /// Writes runs whose clock jumps, and returns what they saw, in their order.
    private func runs(_ random: inout SeededGenerator, endInOrder: Bool) throws -> [Observation] {
        var observations: [Observation] = []
        var clock = Int64.random(in: hour(-6)...hour(6), using: &random)
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            let store = try folder.store()
            var open: [String: (time: Int64, state: String)] = [:]
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let region = ["home", "work"].randomElement(using: &random) ?? ""
                let state = ["inside", "outside", "unknown"].randomElement(using: &random) ?? ""
                var events = [determined(region, state, at: clock)]
                if Bool.random(using: &random) { events.append(bluetooth("poweredOff", at: clock)) }
                try store.record(events, [])
                if let open = open[region], open.time < clock {
                    observations.append(Observation(time: open.time..<clock, region: region, state: open.state))
                }
                open[region] = (clock, state)
                clock += jump(&random)
            }
            if endInOrder || Bool.random(using: &random) {
                try store.runEnded(at: clock)
                for (region, open) in open where open.time < clock {
                    observations.append(Observation(time: open.time..<clock, region: region, state: open.state))
                }
            }
            clock += jump(&random)
        }
        return observations
    }

    /// Time goes by, and now and then the clock is set.
    private func jump(_ random: inout SeededGenerator) -> Int64 {
        let step = Int64.random(in: 0...7_200, using: &random)
        let set = Int.random(in: 0..<4, using: &random) == 0 ? Int64.random(in: -36_000...36_000, using: &random) : 0
        return (step + set) * 1_000_000_000
    }

    private func expectOrder(of ranges: [Range<Int64>], in record: DayRecord, _ seed: UInt64) {
        #expect(ranges.allSatisfy { !$0.isEmpty && $0.lowerBound >= record.start && $0.upperBound <= record.end })
        #expect(zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound }, "seed \(seed)")
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `spans are in order and never overlap, and the last value of each moment is shown`(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let endInOrder = seed.isMultiple(of: 2)
        let observations = try runs(&random, endInOrder: endInOrder)
        let record = try folder.reader().day(
            from: hour(0), to: hour(24), now: .random(in: hour(-2)...hour(30), using: &random))
        for region in record.regions {
            expectOrder(of: region.spans.map(\.time), in: record, seed)
            for gap in record.unwatched {
                #expect(!region.spans.contains { $0.time.overlaps(gap) }, "seed \(seed)")
            }
        }
        expectOrder(of: record.outages.map(\.time), in: record, seed)
        expectOrder(of: record.unwatched, in: record, seed)
        guard endInOrder else { return }
        for time in stride(from: record.start, to: record.end, by: 600_000_000_000) {
            for name in ["home", "work"] {
                let expected = observations.last { $0.region == name && $0.time.contains(time) }?.state
                let recorded = record.regions.first { $0.identifier == name }?.spans.first { $0.time.contains(time) }?
                    .value
                #expect(recorded == expected, "seed \(seed), \(name) at \(time)")
            }
        }
    }
}
