import FoundationEssentials
import HCI
import OkaeriDaemonTestSupport
import RegionMonitoring
import Testing

@testable import OkaeriEvents

/// The judgement of a running daemon.
@Suite struct FindingTests {
    private func findings(_ subject: String, _ change: (inout StatusReport) -> Void) -> [Finding] {
        var status = statusReport()
        change(&status)
        return status.judged.filter { $0.subject == subject }
    }

    private func verdicts(_ findings: [Finding]) -> [Finding.Verdict] { findings.map(\.verdict) }

    @Test func `a daemon without a fault has one finding`() {
        #expect(statusReport().judged == [.ok("daemon", "it runs, with 0 regions", values: ["0"])])
        let stale = statusReport(stale: true).judged
        #expect(verdicts(stale) == [.wrong] && stale[0].remedy?.contains("restart okaeri") == true)
    }

    @Test(arguments: [
        (BluetoothState.unknown, Finding.Verdict.note, Finding.Alarm.unknown), (.resetting, .wrong, .unknown),
        (.unsupported, .wrong, .critical), (.unauthorized, .wrong, .critical), (.poweredOff, .wrong, .critical),
    ])
    func `a radio that is not on has an alarm`(state: BluetoothState, verdict: Finding.Verdict, alarm: Finding.Alarm) {
        let found = findings("bluetooth") { $0.bluetooth.state = state }
        #expect(found.map(\.verdict) == [verdict] && found[0].alarm == alarm)
        #expect(found[0].sentence == statusReport().bluetooth.reason)
    }

    @Test func `a region of the page that is not used has the file to correct`() {
        #expect(findings("regions") { $0.saved = .init(file: "/s/regions.json") }.isEmpty)
        let found = findings("regions") { $0.saved = .init(file: "/s/regions.json", problems: ["keys is not used"]) }
        #expect(verdicts(found) == [.wrong] && found[0].remedy?.contains("/s/regions.json") == true)
    }

    @Test func `A battery below 15 % is reported with its beacon, and one with more is not`() {
        func found(_ percent: Int) -> [Finding] {
            var region = regionReport("keys", .outside)
            region.battery = BatteryReport(
                percent: percent, time: "2026-11-20T18:42:03.250Z", source: "advertised", major: 7, minor: 8)
            return findings("battery") { $0.regions = [region, regionReport("home", .inside)] }
        }
        #expect(found(15).isEmpty)
        #expect(verdicts(found(14)) == [.note])
        #expect(found(14)[0].sentence.hasPrefix("\"keys\": the beacon with major 7 and minor 8 had 14 % at 2026-11-2"))
        #expect(found(14)[0].remedy == "replace the battery of the beacon")
    }

    @Test func `a port that is taken is reported with the remedy`() {
        let problem = "another program has that port; name another one in beacons.json"
        let listeners = [
            ListenerReport(name: "metrics", address: "127.0.0.1:1", problem: problem),
            ListenerReport(name: "web", address: "127.0.0.1:2"),
        ]
        let metrics = findings("metrics") { $0.listeners = listeners }
        #expect(verdicts(metrics) == [.wrong] && metrics[0].sentence == "not served on 127.0.0.1:1: \(problem)")
        #expect(verdicts(findings("web") { $0.listeners = listeners }) == [.ok])
    }

    @Test func `a listener that could not move is wrong`() {
        let refused = "127.0.0.1:2 cannot be opened: taken"
        let found = findings("web") { $0.listeners = [.init(name: "web", address: "127.0.0.1:1", refused: refused)] }
        #expect(verdicts(found) == [.wrong] && found[0].values == ["web", refused])
        #expect(found[0].sentence == "still served on 127.0.0.1:1, because \(refused)")
    }

    @Test func `a broker is reported with the time and the last problem`() {
        func found(_ mqtt: StatusReport.MQTT) -> [Finding] { findings("mqtt") { $0.mqtt = mqtt } }
        let away = found(.init(connected: false, reason: "it is away", since: "2026-11-21T07:31:09Z"))
        #expect(verdicts(away) == [.wrong])
        #expect(
            away[0].sentence.hasPrefix("not connected since 2026-11-21 ") && away[0].sentence.hasSuffix(": it is away"))
        let back = found(
            .init(
                connected: true, reason: "connected", since: "2026-11-21T07:31:09Z", lastError: "it was away",
                lastErrorTime: "2026-11-21T07:31:00Z"))
        #expect(verdicts(back) == [.ok, .note] && back[1].sentence.hasSuffix(": it was away"))
        let faulty = found(.init(connected: true, reason: "r", problem: "it delivers none; allow this node to read"))
        #expect(faulty.map { $0.text() } == ["wrong  mqtt: it delivers none; allow this node to read"])
    }

    @Test
    func `a broker that accepts messages without a login is wrong, and on this machine a note of the doctor alone`() {
        func found(_ open: Bool?, local: Bool? = false, connected: Bool = true) -> [Finding] {
            findings("access") { $0.mqtt = .init(connected: connected, reason: "r", open: open, local: local) }
        }
        #expect(verdicts(found(true)) == [.wrong] && found(true)[0].code == "brokerOpen")
        #expect(found(true)[0].remedy?.contains("broker.md") == true && found(true)[0].alarm == nil)
        #expect(verdicts(found(true, local: true)) == [.note] && found(true, local: true)[0].code == nil)
        #expect(found(false).isEmpty && found(nil).isEmpty && found(true, connected: false).isEmpty)
    }

    @Test func `a server that is notified is reported with its last problem`() {
        var report = NotificationReport(target: "notify[0]", type: "ntfy", address: "https://ntfy.sh")
        func found() -> [Finding] { findings("notify") { $0.notifications = [report] } }
        // Without an arrow: it is not a missing step of the set-up.
        #expect(verdicts(found()) == [.note] && found().allSatisfy { $0.remedy == nil })
        report.sent = 3
        #expect(
            found().map { $0.text() } == ["ok     notify: notify[0], ntfy at https://ntfy.sh: 3 sent since the start"])
        report.problem = "libcurl cannot be loaded"
        #expect(verdicts(found()) == [.wrong])
        #expect(found()[0].sentence.hasSuffix("https://ntfy.sh: libcurl cannot be loaded"))
    }

    @Test func `a file that the daemon does not use, and a restart that is pending, have their commands`() {
        let loaded = StatusReport.Loaded(
            file: "f", time: "2026-11-21T07:31:09Z", problem: "f: a\nf: b",
            restart: [.init(key: "history.keep", reason: "no event is recorded until then")])
        let pending = findings("restart") { $0.configuration = loaded }
        #expect(verdicts(pending) == [.note])
        #expect(pending[0].sentence == "pending for history.keep: no event is recorded until then")
        #expect(pending[0].remedy == "run `sudo systemctl restart okaeri`")
        let unread = findings("configuration") { $0.configuration = loaded }
        #expect(verdicts(unread) == [.wrong] && unread[0].sentence.hasSuffix("f: a; f: b"))
        #expect(unread[0].remedy?.contains("sudo systemctl reload okaeri") == true)
    }

    @Test func `the findings of a daemon count as it sends them, and those of one that sends none are determined here`()
    {
        var report = statusReport(regionReport("home", .inside), stale: true)
        #expect(report.allFindings == report.judged)
        report.findings = []
        #expect(report.allFindings.isEmpty && HealthReport(report).healthy)
    }

    /// A daemon of a later version may have found what this version does not look for.
    @Test func `a finding of an unknown kind reaches every consumer`() throws {
        let json = """
            {"subject": "clock", "verdict": "wrong", "code": "clockWrong", "alarm": "critical", "finding": "it is 1970",
             "fix": "set it", "values": ["1970"], "later": 1}
            """
        let finding = try JSONDecoder().decode(Finding.self, from: Data(json.utf8))
        var report = statusReport(regionReport("home", .inside))
        report.findings = [finding]
        #expect(HealthReport(report).problems == [.init(part: "clock", reason: "it is 1970; set it")])
        let summary = try #require(StatusSummary(report, region: nil))
        #expect(summary.text().contains("\nWRONG      clock: it is 1970; set it"))
        #expect(try JSONDecoder().decode(StatusReport.self, from: Data(summary.json.utf8)) == report)
    }
}
