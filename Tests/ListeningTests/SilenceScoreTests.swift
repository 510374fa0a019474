import FoundationEssentials
import HCI
import IBeacon
import OkaeriDaemonTestSupport
import OkaeriPresence
import OkaeriTestSupport
import RegionMonitoring
import Testing

@testable import OkaeriEvents
@testable import OkaeriListening
@testable import OkaeriPlumbing

@Suite struct SilenceScoreTests {
    private var learning: MonitoredRegion {
        var region = monitored()
        region.exitAfter = nil
        return region
    }

    /// Returns the score of a capture, if there is one, and the error of its end.
    private func score(
        _ bytes: [UInt8], _ regions: [MonitoredRegion]
    ) throws -> (report: CaptureScore?, error: CaptureFileError?) {
        let folder = try TemporaryFolder()
        let file = try folder.file("capture", bytes)
        var report: CaptureScore?
        do throws(CaptureFileError) {
            try Replay.score(file, regions: regions, logger: quiet, progress: { _, _ in }) { report = $0 }
        } catch {
            return (report, error)
        }
        return (report, nil)
    }

    private func region(_ bytes: [UInt8], _ region: MonitoredRegion) throws -> CaptureScore.Region {
        try #require(try score(bytes, [region]).report?.regions.first)
    }

    /// A capture of these events at these nanoseconds of the evening.
    private func capture(_ events: [(time: Int64, event: [UInt8])]) -> [UInt8] {
        var bytes: [UInt8] = []
        let writer = BtsnoopWriter()
        writer.appendHeader(to: &bytes)
        for (time, event) in events { writer.append(.event, event.span.bytes, time: evening &+ time, to: &bytes) }
        return bytes
    }

    /// A capture of the beacon alone, after these gaps in seconds.
    private func capture(gaps: [Double], rssi: (Int) -> Int8 = { _ in -70 }) -> [UInt8] {
        var time = 0.0
        var events = [(time: Int64(0), event: event(rssi: rssi(0)))]
        for (number, gap) in gaps.enumerated() {
            time += gap
            events.append((nanoseconds(time), event(rssi: rssi(number + 1))))
        }
        return capture(events)
    }

    private func seconds(_ count: Int) -> [Double] { Array(repeating: 1, count: count) }

    private func falseExits(_ region: CaptureScore.Region) -> [String: Int] {
        Dictionary(uniqueKeysWithValues: region.settings.map { ($0.setting, $0.falseExits) })
    }

    @Test func `the gaps are reported by their quantiles, and the longest one by one`() throws {
        let gaps = seconds(450) + [7] + Array(repeating: 5, count: 9) + seconds(450) + Array(repeating: 2, count: 90)
        let home = try region(capture(gaps: gaps), monitored())
        #expect(home.advertisements == 1001)
        #expect(home.beacons == 1)
        #expect(home.longSilences == 0)
        let found = try #require(home.gaps)
        #expect([found.median, found.p90, found.p99, found.p999] == [1, 1, 2, 5])
        #expect(found.longest == [7, 5, 5, 5, 5, 5, 5, 5, 5, 5])
        #expect(home.insideHours == (1132.0 / 3600).rounded(digits: 3))
    }

    @Test func `an advertisement on three channels is one, and an absence is not a gap`() throws {
        let home = try region(capture(gaps: [0.005, 0.005, 2, 0.005, 400, 1]), monitored())
        #expect(home.advertisements == 4)
        #expect(home.gaps?.longest == [2, 1])
        #expect(home.longSilences == 1)
    }

    @Test func `a short time of one's own is scored beside the sensitivities`() throws {
        let home = try region(capture(gaps: seconds(600) + [7] + seconds(60)), monitored(5))
        #expect(falseExits(home) == ["quick": 0, "balanced": 0, "patient": 0, "exitAfter": 1])
        #expect(home.absences == 0)
    }

    @Test func `each beacon has gaps of its own`() throws {
        let other = BeaconIdentity(uuid: home.uuid, major: 100, minor: 101)
        let events = (0..<120).map { (nanoseconds(Double($0) / 2), event($0.isMultiple(of: 2) ? home : other)) }
        var whole = learning
        whole.sign = RegionSign(.beacon(.uuid(home.uuid)))
        let score = try region(capture(events), whole)
        #expect(score.beacons == 2)
        #expect(score.gaps?.median == 1)
        #expect(try region(capture(events), learning).beacons == 1)
    }

    @Test(arguments: [(10.0, (1, 0, 0)), (15, (1, 1, 0)), (25, (1, 1, 1)), (7, (0, 0, 0))])
    func `a silence counts for the sensitivities that would have taken it for an exit`(
        length: Double, count: (Int, Int, Int)
    ) throws {
        let capture = capture(gaps: seconds(600) + [length] + seconds(60))
        let counts = ["quick": count.0, "balanced": count.1, "patient": count.2]
        for sensitivity in Sensitivity.allCases {
            var region = learning
            region.sensitivity = sensitivity
            let score = try self.region(capture, region)
            #expect(falseExits(score) == counts, "whichever is in force")
            #expect(score.settings.filter(\.inForce).map(\.setting) == [sensitivity.rawValue])
            #expect(score.absences == 0, "a return at once is not an absence")
        }
        let configured = try region(capture, monitored(20))
        #expect(falseExits(configured) == counts.merging(["exitAfter": length > 20 ? 1 : 0]) { $1 })
        #expect(configured.settings.filter(\.inForce).map(\.exitAfter) == [20])
        #expect(configured.absences == 0)
    }

    @Test func `false exits are reported per day, if the stay was long enough`() throws {
        let hours = try region(capture(gaps: seconds(3600) + [25] + seconds(3575)), learning)
        #expect(hours.insideHours == 1.997, "two hours less what it was outside")
        #expect(hours.settings.map(\.perDay) == [12.02, 12.02, 12.02])
        let minutes = try region(capture(gaps: seconds(600) + [25] + seconds(60)), learning)
        #expect(minutes.settings.map(\.perDay) == [nil, nil, nil])
    }

    @Test func `the delays are the exit times of each minute inside`() throws {
        let home = try region(capture(gaps: seconds(1800) + [2000]), monitored(45))
        #expect(home.settings.map(\.medianDelay) == [8, 14, 24, 45])
        #expect(home.settings.map(\.p90Delay) == [8, 14, 24, 45])
        #expect(home.advertisingInterval == 1)
        #expect(home.loss == 0)
        let short = try region(capture(gaps: seconds(30)), learning)
        #expect(short.settings.allSatisfy { $0.medianDelay == nil && $0.p90Delay == nil })
    }

    @Test func `a return that is late, or from afar, ends an absence`() throws {
        let late = try region(capture(gaps: seconds(300) + [1000] + seconds(300)), learning)
        #expect(late.absences == 1)
        #expect(late.insideHours == (614.0 / 3600).rounded(digits: 3))
        let afar = try region(capture(gaps: seconds(300) + [100] + seconds(30)) { $0 > 300 ? -84 : -70 }, learning)
        #expect(afar.absences == 1)
        for score in [late, afar] { #expect(score.settings.allSatisfy { $0.falseExits == 0 }) }
    }

    @Test func `the silence of a deaf receiver is not a gap`() throws {
        func advertisement(from device: Int) -> [UInt8] {
            device == 0
                ? event(home) : event(BeaconIdentity(uuid: neighbour.uuid, major: 1, minor: UInt16(device)))
        }
        let seconds = Array(0..<300) + Array(313..<600)
        let events = seconds.flatMap { second in
            (0..<12).map { (nanoseconds(Double(second) + Double($0) / 100), advertisement(from: $0)) }
        }
        let score = try #require(try score(capture(events), [learning]).report)
        let region = try #require(score.regions.first)
        #expect(score.air.deaf > 8)
        #expect((8...12).contains(score.air.devices))
        #expect(region.gaps?.longest.first ?? 61 < 6)
        #expect(region.settings.allSatisfy { $0.falseExits == 0 })
    }

    @Test func `a region that was never received is reported as such`() throws {
        let score = try #require(
            try score(capture(gaps: seconds(10)), [monitored(identifier: "home"), elsewhere]).report)
        #expect(score.regions.map(\.identifier) == ["home", "elsewhere"])
        #expect(score.regions[1].advertisements == 0)
        #expect(score.regions[1].gaps == nil)
        #expect(score.regions[1].insideHours == 0)
        #expect(score.text.hasSuffix("\n\nelsewhere  was never heard: none of its beacons is in the capture"))
    }

    private var elsewhere: MonitoredRegion {
        MonitoredRegion(BeaconRegion(identifier: "elsewhere", constraint: .minor(home.uuid, 7, 7)))
    }

    @Test func `a clock that leaps makes no gaps, and an absurd one does not trap`() throws {
        let minute = (0...60).map { (time: nanoseconds(Double($0)), event: event()) }
        for leap in [3600.0, -3600, 630_720_000] {
            let after = minute.map { (time: $0.time &+ nanoseconds(60 + leap), event: $0.event) }
            let home = try region(capture(minute + after), learning)
            #expect(home.gaps?.longest == Array(repeating: 1, count: 10), "\(leap)")
            #expect(home.insideHours < 0.1)
        }
        let absurd = [0, Int64.max, .min, 1, .max, -1].map { (time: $0 &- evening, event: event()) }
        for score in try [
            region(capture(absurd + minute), learning), region(capture(absurd.reversed()), monitored(86_400)),
        ] {
            #expect(score.insideHours >= 0 && score.insideHours.isFinite)
            #expect(score.gaps.map { $0.longest.allSatisfy { $0 >= 0 } } ?? true)
            #expect(score.settings.count >= Sensitivity.allCases.count)
        }
    }

    @Test func `it can be sent to others`() throws {
        let bytes = capture(gaps: seconds(600) + [15] + seconds(60))
        let score = try #require(try score(bytes, [learning, elsewhere]).report)
        #expect(try JSONDecoder().decode(CaptureScore.self, from: Data(score.json.utf8)) == score)
        for output in [score.json, score.text].map({ $0.uppercased() }) {
            #expect(!output.contains(uuidText) && !output.contains("UUID"))
            #expect(!output.contains("2026") && !output.contains("06:05:04") && !output.contains("01:02:03"))
        }
    }

    @Test func `the whole of it for a person`() throws {
        let score = try score(capture(gaps: seconds(3600) + [15] + seconds(3600)), [monitored(30)]).report
        #expect(
            score?.text == """
                2 h recorded
                  In the air: 0 devices

                home  inside for 2 h
                  beacons   1 with 7202 advertisements
                  sends     every 1 s; 0 % of that is lost
                  gaps      half up to 1 s, 90 % up to 1 s, 99 % up to 1 s, 99.9 % up to 1 s
                  longest   15, 1, 1, 1, 1, 1, 1, 1, 1, 1 s
                  absences  0

                  exit time               false exits  a day    half within  90 % within
                  quick                   1            11.98    8 s          9.7 s
                  balanced                1            11.98    14 s         16.6 s
                  patient                 0            0        24 s         24 s
                  exitAfter 30, in force  0            0        30 s         30 s
                """)
    }

    @Test func `a capture that is cut has a score, and what is not a capture has none`() throws {
        let whole = capture(gaps: seconds(10))
        let (cut, error) = try score(Array(whole.dropLast(10)), [monitored()])
        #expect(cut?.regions.first?.advertisements == 10)
        #expect(error?.isCut == true)
        let (none, refusal) = try score(Array("hello, world, this is not a capture".utf8), [monitored()])
        #expect(none == nil)
        #expect(refusal?.isCut == false)
    }
}
