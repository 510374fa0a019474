import OkaeriPlumbing
import OkaeriTestSupport
import Synchronization
import Testing

@testable import OkaeriConfiguration
@testable import OkaeriEvents
@testable import OkaeriHistory

/// The times in which the daemon ran, in the history.
@Suite struct RunTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private final class Clock: Sendable {
        let now = Mutex(hour(1))
    }

    private func watched(_ stretch: Range<Int64> = .min..<Int64.max) throws -> Double? {
        try folder.reader().silencesWatched().map { Double($0.nanoseconds(in: stretch)) / 3_600e9 }
    }

    @Test func `the time between two runs is not watched`() throws {
        var store = try folder.store()
        try store.record([exit("home", at: hour(1))], [])
        try store.runEnded(at: hour(3))
        store = try folder.store()
        try store.record([exit("home", at: hour(10))], [])
        try store.runEnded(at: hour(14))
        #expect(try watched() == 6)
        #expect(try watched(hour(2)..<hour(12)) == 3)
        #expect(try watched(hour(4)..<hour(9)) == 0)
    }

    @Test func `a run without a recorded end was watched to its last sign of life`() throws {
        var store = try folder.store()
        try store.record([exit("home", at: hour(1))], [])
        try store.record([], [minute("home", at: hour(2), rssi: -60)])
        store = try folder.store()
        try store.record([exit("home", at: hour(10))], [])
        try store.record([], [], at: Moment(recorded: hour(11)))
        let minute = Double(SignalMinute.length) / 3_600e9
        #expect(try abs(#require(try watched()) - 2 - minute) < 1e-9)
    }

    @Test func `a quiet daemon leaves a sign of life by its own clock`() throws {
        let clock = Clock()
        var writer = HistoryWriter(
            directory: folder.path, settings: Configuration.History(), durability: .process,
            clock: { Moment(recorded: clock.now.withLock(\.self)) }, signInterval: .zero, logger: quiet)
        writer.record([], [], [])
        #expect(writer.nextAttempt == nil, "there is no run")
        #expect(throws: HistoryError.self) { try folder.reader() }
        writer.record([Event(time: hour(1), kind: .didStartMonitoring(region: "home"))])
        #expect(writer.nextAttempt != nil)
        clock.now.withLock { $0 = hour(6) }
        writer.record([], [], [])
        #expect(try watched() == 5)
        #expect(try folder.events().count == 1)
    }

    @Test func `a clock that is set after the start moves the beginning with it`() throws {
        let store = try folder.store()
        try store.record([exit("home", at: hour(1))], [], at: Moment(instant: 0, wall: hour(1)))
        // An hour later the network sets the clock ten days forward.
        let late = Moment(instant: hour(1) - hour(0), wall: hour(242))
        try store.record([], [], at: late)
        #expect(try watched() == 1)
        try store.record([exit("home", at: hour(1))], [], at: Moment(instant: hour(2) - hour(0), wall: hour(1)))
        #expect(try watched() == 2)
        for (wall, uptime) in [(Int64.max, Int64.min), (.min, .max), (0, 0)] {
            try store.record([], [], at: Moment(instant: uptime, wall: wall))
            #expect(try #require(try watched()) >= 0)
        }
    }

    @Test func `an hour that the clock shows twice was watched twice`() throws {
        var store = try folder.store()
        try store.record([exit("home", at: hour(1))], [])
        try store.runEnded(at: hour(3))
        store = try folder.store()
        try store.record([exit("home", at: hour(2))], [])
        try store.runEnded(at: hour(3))
        #expect(try watched() == 3)
        let time = WatchedTime([.min..<Int64.max, .min..<Int64.max])
        #expect(time.nanoseconds(in: .min..<Int64.max) == .max)
    }
}
