import OkaeriTestSupport
import Testing

@testable import OkaeriEvents
@testable import OkaeriHistory

/// The rest of a history whose oldest rows are removed.
@Suite struct PruningTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func day(_ number: Double) -> Int64 { hour(number * 24) }

    /// Writes an exit each day, and removes what is older than ten days as the daemon does.
    private func live(_ store: HistoryStore, _ days: ClosedRange<Int>) throws {
        for number in days {
            let time = day(Double(number))
            try store.removeOld(keeping: 10, at: time)
            try store.record([exit("work", at: time)], [minute("work", at: time, rssi: -60)])
        }
    }

    private func picture(_ number: Double, now: Double) throws -> DayRecord {
        try folder.reader().day(from: day(number), to: day(number + 1), now: day(now))
    }

    @Test func `a region that has not changed for longer than the history is kept has its bar`() throws {
        let store = try folder.store()
        try store.record(
            [
                determined("home", "unknown", at: day(0)), determined("home", "inside", at: hour(1)),
                determined("work", "inside", at: hour(2)), determined("work", "outside", at: hour(3)),
                bluetooth("poweredOn", at: hour(1)), bluetooth("poweredOff", at: hour(2)),
            ], [])
        try live(store, 1...40)
        let held = try folder.events().filter { $0.time < day(29) }
        #expect(held.map(\.time) == [hour(1), hour(3), hour(2)], "the last of each alone")
        let record = try picture(35, now: 40)
        #expect(record.regions.map(\.identifier) == ["home", "work"])
        let whole = day(35)..<day(36)
        #expect(
            record.regions.map(\.spans) == [
                [.init(time: whole, value: "inside")], [.init(time: whole, value: "outside")],
            ])
        #expect(record.outages.map(\.time) == [whole])
        #expect(record.unwatched.isEmpty)
    }

    @Test func `nothing is shown of the time before the limit`() throws {
        let store = try folder.store()
        try store.record([determined("home", "inside", at: day(0)), bluetooth("poweredOff", at: day(0))], [])
        try live(store, 1...40)
        let record = try picture(29.5, now: 40)
        #expect(
            record.regions.first { $0.identifier == "home" }?.spans == [
                .init(time: day(30)..<day(30.5), value: "inside")
            ])
        #expect(record.outages.map(\.time) == [day(30)..<day(30.5)])
        #expect(record.unwatched == [day(29.5)..<day(30)])
        #expect(try folder.reader().bounds() == day(30)...day(40))
        #expect(try folder.reader().silencesWatched()?.start == day(30))
    }

    @Test(arguments: [false, true])
    func `a run that ended before the limit leaves nothing`(wasKilled: Bool) throws {
        let first = try folder.store()
        try first.record([determined("home", "inside", at: day(0))], [])
        if !wasKilled { try first.runEnded(at: day(1)) }
        try live(folder.store(), 2...40)
        #expect(try folder.events().allSatisfy { $0.time >= day(30) })
        #expect(try picture(35, now: 40).regions.map(\.identifier) == ["work"])
        let connection = try SQLiteConnection(file: folder.history, mode: .readOnly)
        #expect(try connection.rows("SELECT count(*) FROM runs") { $0.integer(0) } == [1])
    }

    @Test func `a state of a run that was killed after the limit holds to its last sign of life`() throws {
        let first = try folder.store()
        try first.record([determined("home", "inside", at: day(0))], [])
        try live(first, 1...35)
        try live(folder.store(), 36...40)
        let home = try picture(34, now: 40).regions.first { $0.identifier == "home" }
        #expect(home?.spans == [.init(time: day(34)..<day(35), value: "inside")])
        let later = try picture(35.5, now: 40).regions.first { $0.identifier == "home" }
        #expect(later == nil)
    }

    @Test func `removal goes on past rows that still hold, a week at once`() throws {
        let store = try folder.store()
        try store.record([determined("home", "inside", at: day(0))], [])
        for number in 1...40 { try store.record([exit("work", at: day(Double(number)))], []) }
        var oldest: [Int64?] = []
        for number in 60...66 {
            try store.removeOld(keeping: 10, at: day(Double(number)))
            oldest.append(try folder.events().dropFirst().first?.time)
        }
        #expect(oldest == [day(8), day(15), day(22), day(29), day(36), nil, nil])
        #expect(try folder.events().map(\.name) == ["didDetermineState"])
    }
}
