import HCI
import OkaeriDaemonTestSupport
import OkaeriPresence
import OkaeriTestSupport
import RegionMonitoring
import Testing

@testable import OkaeriListening

@Suite struct ReplayTests {
    @Test func `an arrival is printed at the capture's own clock`() throws {
        let (log, error) = try replay(capture([3, 4, 5, 20], until: 60))
        #expect(error == nil)
        #expect(
            log == [
                "0.0 bluetoothStateDidUpdate", "0.0 didStartMonitoring", "0.0 didDetermineState unknown",
                "3.0 didEnterRegion", "3.0 didDetermineState inside", "50.0 didExitRegion",
                "50.0 didDetermineState outside",
            ])
    }

    @Test func `the callbacks come in CoreLocation's order`() throws {
        let (log, _) = try replay(capture([0.5, 1.5], until: 30), [monitored(8, ranging: true)])
        let words = log.map { $0.drop { $0 != " " }.dropFirst() }
        var order: [Substring] = []
        for word in words.dropFirst() where word != order.last { order.append(word) }
        #expect(
            order == [
                "didStartMonitoring", "didDetermineState unknown", "didEnterRegion", "didDetermineState inside",
                "didRangeBeacons", "didExitRegion", "didDetermineState outside",
            ])
    }

    @Test func `ranging begins a second after the arrival, not with the next timer that happens to be due`() throws {
        let (log, _) = try replay(capture([3], until: 10), [monitored(ranging: true)])
        #expect(log.first { $0.hasSuffix("didRangeBeacons") } == "4.0 didRangeBeacons")
        #expect(log.filter { $0.hasSuffix("didRangeBeacons") }.count == 7)
    }

    @Test func `nothing is decided after the capture's end`() throws {
        let (log, _) = try replay(capture([3], until: 10))
        #expect(log.last == "3.0 didDetermineState inside")
    }

    @Test func `a capture that is cut is replayed as far as it goes`() throws {
        let whole = capture([3, 4, 5], until: 60)
        let (log, error) = try replay(Array(whole.dropLast(10)))
        #expect(log.last == "35.0 didDetermineState outside")
        #expect(error?.isCut == true)
        #expect(error?.description.contains("cut") == true)
    }

    @Test func `what is not a capture is refused, and so is a file that is not there`() throws {
        for bytes in [[], Array("hello, world, this is not a capture".utf8), [UInt8](repeating: 0, count: 100)] {
            let (log, error) = try replay(bytes)
            #expect(log.isEmpty)
            #expect(error != nil && error?.isCut == false)
        }
        #expect(throws: CaptureFileError.self) {
            try Replay.run("/nowhere", regions: [], speed: nil, logger: quiet, progress: { _, _ in }) { _ in }
        }
    }

    @Test func `a clock that was set back does not freeze the regions`() throws {
        // Ten minutes into the capture the clock is set back by an hour.
        var bytes: [UInt8] = []
        let writer = BtsnoopWriter()
        writer.appendHeader(to: &bytes)
        func add(_ event: [UInt8], _ seconds: Double) {
            writer.append(.event, event.span.bytes, time: evening + nanoseconds(seconds), to: &bytes)
        }
        add(event(), 600)
        for second in 0..<60 { add(event(neighbour), -3000 + Double(second)) }
        let (log, _) = try replay(bytes)
        #expect(log.suffix(2) == ["-2970.0 didExitRegion", "-2970.0 didDetermineState outside"])
    }

    @Test func `stamps of the wrong epoch are read thirty years earlier, others are left alone`() throws {
        let thirtyYears: Int64 = 946_684_800_000_000_000
        let (log, _) = try replay(capture([3], until: 10, start: evening + thirtyYears))
        #expect(log.contains("3.0 didEnterRegion"))

        var timeline = CaptureTimeline()
        let today = evening + 40 * 365 * 86_400_000_000_000
        let instant = timeline.instant(ofStamp: evening + thirtyYears, today: today)
        #expect(instant.nanoseconds - timeline.ahead == evening + thirtyYears, "no future, no mistake")
    }

    @Test func `an absurd clock neither traps nor hangs`() throws {
        var bytes: [UInt8] = []
        let writer = BtsnoopWriter()
        writer.appendHeader(to: &bytes)
        for time in [0, Int64.max, .min, 1, .max, -1] {
            writer.append(.event, event().span.bytes, time: time, to: &bytes)
        }
        var ranging = monitored(ranging: true)
        ranging.ranging = .always
        let (log, error) = try replay(bytes, [ranging])
        #expect(error == nil)
        let crossings = log.filter { $0.contains("didEnterRegion") || $0.contains("didExitRegion") }
        #expect(crossings.first?.hasSuffix("didEnterRegion") == true)
        #expect(
            zip(crossings, crossings.dropFirst()).allSatisfy { $0.suffix(14) != $1.suffix(14) }, "in and out by turns")
    }

    @Test func `a silence before the first event is judged on time`() throws {
        var bytes: [UInt8] = []
        let writer = BtsnoopWriter()
        writer.appendHeader(to: &bytes)
        let command: [UInt8] = [0x03, 0x0C, 0]
        writer.append(.command, command.span.bytes, time: evening, to: &bytes)
        writer.append(.event, event(neighbour).span.bytes, time: evening + nanoseconds(100), to: &bytes)
        let (log, _) = try replay(bytes)
        #expect(log.suffix(1) == ["30.0 didDetermineState outside"])
    }

    @Test func `the time between any two packets has 64 bits`() {
        let stamps = [Int64.min, .max, 0, .max, .min, .min + 1, evening, -1, .max]
        for first in stamps.indices {
            var timeline = CaptureTimeline()
            var latest: Int64?
            for stamp in stamps[first...] + stamps[..<first] {
                let instant = timeline.instant(ofStamp: stamp, today: evening).nanoseconds
                #expect(CaptureTimeline.range ~= instant && instant >= latest ?? .min)
                latest = instant
            }
        }
        let (lowest, highest) = (CaptureTimeline.range.lowerBound, CaptureTimeline.range.upperBound)
        #expect(!highest.subtractingReportingOverflow(lowest).overflow)
    }

    @Test func `the timeline never runs backwards and keeps the stamps`() {
        var timeline = CaptureTimeline()
        var latest: Int64?
        for stamp in [10, 20, 15, 16, 5, 30, 100, -50, -49] as [Int64] {
            let instant = timeline.instant(ofStamp: stamp, today: evening)
            #expect(instant.nanoseconds - timeline.ahead == stamp)
            #expect(instant.nanoseconds >= latest ?? .min)
            latest = instant.nanoseconds
        }
    }
}
