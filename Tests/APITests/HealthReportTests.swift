import HCI
import OkaeriDaemonTestSupport
import Testing

@testable import OkaeriEvents

@Suite struct HealthReportTests {
    private func parts(_ change: (inout StatusReport) -> Void) -> (problems: [String], warnings: [String]) {
        var status = statusReport()
        change(&status)
        let report = HealthReport(status)
        #expect(report.healthy == report.problems.isEmpty)
        #expect((report.problems + report.warnings).allSatisfy { !$0.reason.isEmpty })
        return (report.problems.map(\.part), report.warnings.map(\.part))
    }

    @Test func `a daemon that receives and writes is healthy`() {
        #expect(parts { _ in } == ([], []))
        #expect(parts { $0.kept = .init(file: "/s", start: "restored", reason: "") } == ([], []))
    }

    @Test func `a daemon that cannot determine the regions, or would lose them, is unhealthy`() {
        #expect(parts { $0.stale = true }.problems == ["daemon"])
        #expect(parts { $0.bluetooth.state = .poweredOff }.problems == ["bluetooth"])
        #expect(parts { $0.bluetooth.listening = false }.problems == ["bluetooth"])
        #expect(
            parts {
                $0.kept = .init(file: "/s", start: "nothing", reason: "", problem: "full", historyProblem: "full")
            }.problems == ["state", "history"])
    }

    @Test(arguments: [(0.0, true), (60, true), (60.1, false), (1e300, false)])
    func `the scan may pause for a while, as for a join`(seconds: Double, isHealthy: Bool) {
        let problems = parts {
            $0.bluetooth.listening = false
            $0.bluetooth.pausedFor = seconds
        }.problems
        #expect(problems.isEmpty == isHealthy)
    }

    @Test func `what presence does without is a warning`() {
        let found = parts {
            $0.mqtt = .init(connected: false, reason: "the broker is off")
            $0.listeners = [
                ListenerReport(name: "metrics", address: "127.0.0.1:1", problem: "taken"),
                ListenerReport(name: "web", address: "127.0.0.1:2"),
            ]
            $0.saved = .init(file: "/s/regions.json", problems: ["/s/regions.json: keys is not used"])
            $0.simulated = ["capture"]
        }
        #expect(found == ([], ["mqtt", "metrics", "regions", "source"]))
        #expect(parts { $0.mqtt = .init(connected: true, reason: "r") } == ([], []))
        #expect(parts { $0.mqtt = .init(connected: true, reason: "r", problem: "it delivers none") } == ([], ["mqtt"]))
    }

    @Test func `a person reads that a port is taken, and the address of a page`() throws {
        var status = statusReport()
        status.listeners = [
            ListenerReport(name: "metrics", address: "127.0.0.1:1", problem: "another program has that port"),
            ListenerReport(name: "web", address: "0.0.0.0:2"),
        ]
        status.listeners?[1].url = "http://192.168.1.10:2/"
        let text = try #require(StatusSummary(status, region: nil)).text()
        #expect(text.contains("\nMetrics    NOT SERVED on 127.0.0.1:1: another program has that port"))
        #expect(text.contains("\nPage       served at http://192.168.1.10:2/"))
    }
}
