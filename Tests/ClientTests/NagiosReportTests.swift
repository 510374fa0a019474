import HCI
import OkaeriDaemonTestSupport
import RegionMonitoring
import Testing

@testable import OkaeriClient
@testable import OkaeriEvents

/// The output for a monitoring system.
@Suite struct NagiosReportTests {
    private func nagios(_ report: StatusReport) throws -> NagiosReport {
        try #require(StatusSummary(report, region: nil)).nagios
    }

    @Test func `the line has a text and performance data`() throws {
        #expect(
            try nagios(statusReport(regionReport("home", .inside, rssi: -70))).line
                == "OKAERI OK - home inside | 'home_inside'=1;;;0;1 'home_rssi'=-70 'home_age'=0.5s;30.0;;0 "
                + "prompts=0;;;0 dropped=0c;;;0")
    }

    @Test(
        arguments: [
            (.inside, .poweredOn, false, "OKAERI OK - home inside |", 0),
            (.outside, .poweredOn, false, "OKAERI WARNING - home outside |", 1),
            (.unknown, .poweredOn, false, "OKAERI UNKNOWN - home unknown |", 3),
            (.unknown, .poweredOff, false, "OKAERI CRITICAL - home unknown - why / how |", 2),
            (.unknown, .unauthorized, false, "OKAERI CRITICAL - home unknown - why / how |", 2),
            (.unknown, .resetting, false, "OKAERI UNKNOWN - home unknown - why / how |", 3),
            (.unknown, .unknown, false, "OKAERI UNKNOWN - home unknown - why / how |", 3),
            (
                .inside, .poweredOn, true,
                "OKAERI CRITICAL - home inside - the daemon is stuck; restart it with `sudo systemctl restart okaeri` |",
                2
            ),
        ] as [(RegionState, BluetoothState, Bool, String, Int32)])
    func `a problem is graver than an absence`(
        state: RegionState, bluetooth: BluetoothState, stale: Bool, line: String, status: Int32
    ) throws {
        let result = try nagios(statusReport(regionReport("home", state), bluetooth: bluetooth, stale: stale))
        #expect(result.line.hasPrefix(line))
        #expect(result.exitStatus == status)
    }

    @Test func `a state that cannot be kept is critical, also for a region that is not determined`() throws {
        var report = statusReport(regionReport("home", .inside))
        report.kept = .init(file: "/state", start: "restored", age: 1, reason: "", problem: "No space left")
        let result = try nagios(report)
        #expect(
            result.line.hasPrefix(
                "OKAERI CRITICAL - home inside - /state cannot be written: No space left; check the disk with `df -h` |"
            )
        )
        report.regions[0].state = .unknown
        #expect(try nagios(report).exitStatus == 2)
        report.regions[0].state = .inside
        report.kept?.problem = nil
        report.kept?.historyProblem = "the disk is full"
        #expect(try nagios(report).line.hasPrefix("OKAERI WARNING - home inside - the disk is full |"))
        report.regions[0].state = .unknown
        #expect(try nagios(report).line.hasPrefix("OKAERI UNKNOWN - home unknown - the disk is full |"))
    }

    @Test func `a scan that was paused for too long is critical, as for the health`() throws {
        var report = statusReport(regionReport("home", .inside))
        report.bluetooth.listening = false
        report.bluetooth.pausedFor = 60
        #expect(try nagios(report).status == .ok && HealthReport(report).healthy)
        report.bluetooth.pausedFor = 61
        #expect(try nagios(report).status == .critical && !HealthReport(report).healthy)
    }

    @Test func `no answer is critical, also for a user who cannot open the socket, and a refused question is unknown`()
    {
        let failures: [(APIClient.Failure, Int32)] = [
            (.noDaemon(socket: "/s"), 2), (.noAnswer(socket: "/s", reason: "it hangs"), 2),
            (.notPermitted(socket: "/s"), 2), (.refused(status: 404, sentence: "no"), 3),
        ]
        for (failure, status) in failures {
            #expect(NagiosReport(failure).exitStatus == status)
            #expect(!NagiosReport(failure).line.contains("|"))
        }
    }

    @Test func `no name breaks the line or its labels`() throws {
        let report = statusReport(regionReport("Mum's = a|b\nc", .inside))
        #expect(
            try nagios(report).line
                == "OKAERI OK - Mum's = a/b c inside | 'Mum''s _ a_b_c_inside'=1;;;0;1 prompts=0;;;0 dropped=0c;;;0")
    }
}
