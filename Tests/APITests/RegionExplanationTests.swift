import FoundationEssentials
import HCI
import IBeacon
import IBeacon
import IBeacon
import OkaeriDaemonTestSupport
import OkaeriTestSupport
import RegionMonitoring
import Testing

@testable import OkaeriEvents

@Suite struct RegionExplanationTests {
    private func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

    /// Returns the daemon's report of `region` at `now`, after its beacon was received at `seconds`.
    private func report(
        _ region: MonitoredRegion, heard seconds: [Double], rssi: Int8 = -70, claiming power: Int8? = -59, now: Double,
        paused: ClosedRange<Double>? = nil, mistakes: MistakesReport? = nil
    ) -> StatusReport {
        var monitor = RegionMonitor([region], at: at(0))
        _ = monitor.adapterRecovered(at: at(0))
        for second in seconds {
            _ = monitor.sighted(.init(identity: home, measuredPower: power, rssi: rssi), at: at(second))
        }
        if let paused {
            monitor.listeningPaused(at: at(paused.lowerBound))
            monitor.listeningResumed(at: at(paused.upperBound))
        }
        let judgements = monitor.judgements(at: at(now), limit: 8)[0]
        let regions = [
            RegionReport(monitor.regionSnapshots[0], judgements, since: evening, mistakes: mistakes, now: at(now))
        ]
        return StatusReport(
            time: "", source: "hci0", simulated: [], stale: false,
            bluetooth: .init(state: .poweredOn, adapter: "hci0", reason: "", listening: true),
            wifi: .init(managerRunning: false, radioEnabled: false, hardwareEnabled: false, activating: false),
            regions: regions, prompts: .init(waiting: [], never: []),
            counters: .init(reports: 0, iBeacons: 0, malformed: 0, dropped: 0))
    }

    private var learning: MonitoredRegion {
        var region = monitored()
        region.exitAfter = nil
        return region
    }

    private func text(_ report: StatusReport) throws -> String {
        try #require(RegionExplanation(report, region: "home")).text
    }

    private let everySecond = (0...60).map(Double.init)

    @Test func `an identity of two devices, and one that changes, is explained, and is a finding of the doctor`() throws
    {
        var monitor = RegionMonitor([learning], at: at(0))
        _ = monitor.adapterRecovered(at: at(0))
        for second in 0..<60 {
            for device in [UInt64(1), 2] {
                let time = at(Double(second) + Double(device) / 4)
                _ = monitor.sighted(.init(identity: home, measuredPower: -59, rssi: -70, address: device), at: time)
            }
        }
        var judgements = monitor.judgements(at: at(60), limit: 8)[0]
        judgements[0].beacon.proposedMask = BeaconMask(minor: 0xFF00)
        var report = report(learning, heard: [1], now: 2)
        report.regions = [
            RegionReport(monitor.regionSnapshots[0], judgements, since: evening, mistakes: nil, now: at(60))
        ]
        let text = try text(report)
        let shared = "2 devices send this identity, and each of them keeps the region inside; give yours another UUID"
        #expect(text.contains("  identity  " + shared))
        #expect(text.contains(#"  identity  its minor changes, as a battery level or a counter in it does"#))
        let findings = report.judged.filter { $0.subject == "identity" }
        #expect(findings.map(\.code) == ["sharedIdentity", "changingIdentity"])
        #expect(findings.allSatisfy { $0.verdict == .note && $0.alarm == nil })
        #expect(findings.allSatisfy { $0.sentence.hasPrefix("\"home\": major ") })
        #expect(findings.last?.remedy == #"write "mask": {"minor":"FF00"} beside "uuid" in beacons.json"#)
    }

    @Test func `a mask is explained`() throws {
        let mask = try #require(BeaconMask(minor: 0xFF00))
        let constraint = BeaconConstraint.minor(home.uuid, home.major, home.minor).masked(by: mask)
        let region = MonitoredRegion(BeaconRegion(identifier: "home", constraint: constraint))
        let report = report(region, heard: everySecond, now: 61)
        #expect(report.regions[0].mask == MaskReport(mask) && report.regions[0].mask?.mask == mask)
        #expect(
            try text(report).contains(
                #"  Mask {"minor":"FF00"}: the other bits of its minor may change, and count as zeros here"#))
    }

    @Test func `the whole of it for a person`() throws {
        let text = try text(report(learning, heard: (0...300).map(Double.init), now: 300.5))
        #expect(
            text == """
                home  inside since 2026-11-20 18:42:00 UTC
                  home is inside: its beacon was received 0.5 s ago; the region becomes outside after 14 s of silence
                  Any advertisement causes an entry; silence causes an exit
                  Sensitivity balanced

                major 100 minor 100, keeps the region inside
                  received  0.5 s ago
                  exit      after 14 s of silence: learned from the gaps between receptions; limited to the shortest possible time
                  errors    a false exit is expected less than once a month, according to the longest gaps
                  basis     the 6 longest gaps, 1 to 1 s, in 5 min of scanning
                  others    8 s with quick, 24 s with patient
                  interval  every 1 s; 0 % of the advertisements are lost
                  signal    -70.0 dBm filtered, -70 dBm last
                  distance  2.75 m, near, from a measured power of -59 dBm as the beacon states and a path loss exponent of 2.5
                """)
    }

    @Test func `each of several signs has its own rule and beacons`() throws {
        let region = MonitoredRegion(
            identifier: "home",
            RegionSign(.beacon(.minor(home.uuid, 100, 100)), exitAfter: .seconds(30), measuredPower: -70),
            or: [RegionSign(.beacon(.minor(home.uuid, 1, 2)), enterRSSI: -60)])
        let text = try text(report(region, heard: [59, 60], now: 61))
        #expect(
            text == """
                home  inside since 2026-11-20 18:42:00 UTC
                  home is inside: its beacon was received 1 s ago; the region becomes outside after 30 s of silence
                  Any of 2 signs keeps the region inside

                Sign uuid 5F1C2A8E-93B4-4D07-A6E1-7C0D52B98F34 major 100 minor 100  inside
                  Any advertisement causes an entry; silence causes an exit

                major 100 minor 100, keeps the sign inside
                  received  1.0 s ago
                  exit      after 30 s of silence: set by exitAfter
                  interval  not known yet
                  signal    -70.0 dBm filtered, -70 dBm last
                  distance  1.0 m, near, from a measured power of -70 dBm as calibrated and a path loss exponent of 2.5

                Sign uuid 5F1C2A8E-93B4-4D07-A6E1-7C0D52B98F34 major 1 minor 2  unknown
                  A filtered signal of -60 dBm or more causes an entry; silence causes an exit
                  Sensitivity balanced
                  No beacon of this region has been received since the start.
                """)
    }

    @Test func `the longest gap of a fast beacon is not below the start of its range`() throws {
        let report = report(learning, heard: (0...1500).map { Double($0) * 0.04 }, now: 60.1)
        let tail = try #require(report.regions[0].beacons[0].tail)
        #expect(tail.start > 0 && tail.longest >= tail.start, "\(tail)")
    }

    @Test func `a time that is configured, and one that is not learned yet`() throws {
        let configured = try text(report(monitored(30), heard: everySecond, now: 61))
        #expect(configured.contains("after 30 s of silence: set by exitAfter\n"))
        let early = try text(report(learning, heard: [1, 2, 3], now: 3))
        #expect(early.contains("after 35 s of silence: the initial time, because only 2 of the 15 gaps"))
        #expect(early.contains("interval  not known yet"))
    }

    @Test func `what went wrong of late, and what else is in the air`() throws {
        let silences = [15.0, 10, 25, 9].map { length in
            EndedSilence(
                length: .seconds(length),
                exitTimes: .init(quick: .seconds(8), balanced: .seconds(12), patient: .seconds(20)),
                leftFor: length > 12 ? .seconds(length - 12) : nil)
        }
        let never = try text(
            self.report(learning, heard: everySecond, now: 61, mistakes: .init([], nanoseconds: 86_400_000_000_000)))
        #expect(never.contains("  False exits in the last day: none; quick would have had none, patient "))
        var report = report(
            learning, heard: everySecond, now: 61, mistakes: .init(silences, nanoseconds: 4 * 86_400_000_000_000))
        report.air = .init(devices: 11, isRepresentative: true, deaf: 35)
        var text = try text(report)
        #expect(
            text.contains(
                "  False exits in the last 4 days: 2, 0.5 a day; quick would have had 4, patient would have had 1\n"))
        #expect(
            text.contains(
                "  Other devices in range: 11. Since the start, the adapter received none of them for 35 s in total"))
        report.bluetooth.listening = true
        let mode = ScanMode(timing: .continuous, reason: .lateBeacon)
        report.bluetooth.scan = ScanReport(mode, listened: .seconds(20), received: .seconds(10))
        #expect(
            try self.text(report).contains("  Scan all of the time: a beacon is late\n  Other devices in range: 11"))
        report.air = .init(devices: 63, isRepresentative: true, deaf: 0)
        #expect(try self.text(report).contains("  Other devices in range: more than 50. Since"))
        report.air = .init(devices: 2, isRepresentative: false, deaf: 0)
        text = try self.text(report)
        #expect(
            text.contains(
                "  Other devices in range: 2. These are too few to show whether the beacon is absent or the receiver is faulty\n"
            ))
    }

    @Test(
        arguments: [
            (0, "few minutes: 1"), (300, "few minutes: 1"), (3000, "hour: 1"), (10_800, "3 hours: 1"),
            (86_300, "day: 1, 1 a day"), (86_400, "day: 1, 1 a day"), (129_600, "1.5 days: 1, 0.67 a day"),
        ] as [(Double, String)])
    func `the period of a history younger than a day is given in hours, without a rate a day`(
        seconds: Double, words: String
    ) throws {
        let silence = EndedSilence(
            length: .seconds(15), exitTimes: .init(quick: .seconds(8), balanced: .seconds(12), patient: .seconds(20)),
            leftFor: .seconds(3))
        let mistakes = MistakesReport([silence], nanoseconds: Int64(seconds * 1e9))
        let text = try text(report(learning, heard: everySecond, now: 61, mistakes: mistakes))
        #expect(text.contains("  False exits in the last \(words); quick would"), "\(text)")
    }

    @Test(arguments: [-127, -101, -19, 0, 127] as [Int8])
    func `an implausible measured power is named together with the command that replaces it`(power: Int8) throws {
        let text = try text(report(learning, heard: everySecond, claiming: power, now: 60))
        #expect(
            text.contains(
                "distance  unknown: the beacon states \(power) dBm at one metre, which is not between -100 and -20 dBm; run "
                    + "`okaeri calibrate home`"), "\(text)")
        var calibrated = learning
        calibrated.measuredPower = -110
        #expect(
            try self.text(report(calibrated, heard: everySecond, claiming: power, now: 60)).contains(
                "from a measured power of -110 dBm as calibrated"))
    }

    @Test func `a beacon without a measured power is named together with the command that measures it`() throws {
        let text = try text(report(learning, heard: everySecond, claiming: nil, now: 60))
        #expect(
            text.contains(
                "distance  unknown: the beacon does not advertise its signal at one metre; run `okaeri calibrate home`"),
            "\(text)")
    }

    @Test func `a flapping region is named with the distance that ends it`() throws {
        var region = learning
        (region.enterRSSI, region.exitRSSI) = (-70, -82)
        var status = report(region, heard: everySecond, rssi: -68, now: 60)
        #expect(try !text(status).contains("changes too often"))
        status.regions[0].flapping = FlappingReport(returns: 31, enterRSSI: -70, exitRSSI: -82)
        #expect(
            try text(status).contains(
                "  The state changes too often: 31 times in the last hour the signal became too weak and soon strong enough again. "
                    + "Set exitRSSI at least 21 dB below enterRSSI\n"))
    }

    @Test func `thresholds and calibration`() throws {
        var region = learning
        (region.enterRSSI, region.exitRSSI) = (-70, -80)
        (region.measuredPower, region.pathLossExponent) = (-65, 3)
        let text = try text(report(region, heard: everySecond, rssi: -68, now: 60))
        #expect(
            text.contains(
                "A filtered signal of -70 dBm or more causes an entry; a signal below -80 dBm, or silence, causes an exit\n"
            ))
        #expect(
            text.contains(
                "1.26 m, near, from a measured power of -65 dBm as calibrated and a path loss exponent of 3.0"))
    }

    @Test func `time without a scan is distinguished from silence`() throws {
        let text = try text(report(learning, heard: everySecond, now: 100, paused: 65...95))
        #expect(text.contains("40.0 s ago; only the 10.0 s in which the adapter scanned count as silence"))
        var deaf = report(learning, heard: [], now: 10)
        deaf.bluetooth = .init(
            state: .poweredOff, adapter: "hci0", reason: "it is off | switch it on", listening: false)
        let silent = try self.text(deaf)
        #expect(silent.contains("No beacon of this region has been received"))
        #expect(silent.contains("does not count as silence. it is off | switch it on"))
    }

    @Test func `the error about an unwatched region names the watched ones`() {
        let report = report(learning, heard: [], now: 10)
        #expect(RegionExplanation(report, region: "away") == nil)
        #expect(report.unknownRegion("away", in: .english) == "there is no region \"away\"; the daemon watches home")
    }

    @Test func `the JSON has the numbers`() throws {
        var status = report(learning, heard: (0...600).map { Double($0) / 10 }, now: 60)
        let json = try #require(RegionExplanation(status, region: "home")).json
        let region = try JSONDecoder().decode(RegionReport.self, from: Data(json.utf8))
        #expect(region == status.regions[0])
        let beacon = try #require(region.beacons.first)
        #expect((beacon.exitReason, beacon.bound, beacon.exitAfter) == ("learned", "shortest", 14))
        #expect((beacon.advertisingInterval, beacon.loss, beacon.signal) == (0.1, 0, -70))
        #expect((beacon.gaps, beacon.prolongation) == (nil, nil))
        status = report(learning, heard: [1, 2], now: 4)
        let early = try #require(status.regions[0].beacons.first)
        #expect((early.exitReason, early.gaps, early.gapsNeeded) == ("initial", 1, 15))
        #expect((early.advertisingInterval, early.silence, early.age) == (nil, 2, 2))
    }
}
