import Testing
import WiFi

@testable import OkaeriDaemon

@Suite struct StatusSummaryTests {
    private func region(_ identifier: String, _ state: String, rssi: Int8? = nil) -> RegionReport {
        let beacon = rssi.map {
            BeaconReport(
                uuid: uuidText, major: 100, minor: 100, measuredPower: -59, rssi: $0, accuracy: 2.1, proximity: "near",
                age: 0.5, count: 7, regions: [identifier])
        }
        return RegionReport(
            identifier: identifier, state: state, lastKnown: state, since: nil, uuid: uuidText, major: 100, minor: 100,
            exitAfter: 30, isLearned: false, beacon: beacon, beacons: [])
    }

    private func report(_ regions: RegionReport..., bluetooth: String = "poweredOn", stale: Bool = false)
        -> StatusReport
    {
        StatusReport(
            time: "", source: "hci0", simulated: [], stale: stale,
            bluetooth: .init(state: bluetooth, adapter: "hci0", reason: "why | how", listening: true),
            wifi: .init(WiFiState()), regions: regions, prompts: [],
            counters: .init(reports: 0, iBeacons: 0, malformed: 0, dropped: 0))
    }

    @Test(
        arguments: [
            (["inside"], 0), (["outside"], 1), (["unknown"], 2), (["outside", "inside", "unknown"], 0),
            (["outside", "unknown"], 2), ([], 2),
        ] as [([String], Int32)])
    func `the exit status tells the state`(states: [String], status: Int32) throws {
        var report = report()
        report.regions = states.map { region($0, $0) }
        #expect(try #require(StatusSummary(report, region: nil)).exitStatus == status)
    }

    @Test func `one region alone counts when it is named`() throws {
        let report = report(region("home", "inside"), region("shed", "outside"))
        #expect(try #require(StatusSummary(report, region: "shed")).exitStatus == 1)
        #expect(StatusSummary(report, region: "nowhere") == nil)
    }

    @Test func `a loop that has stopped turning is not believed`() throws {
        let summary = try #require(StatusSummary(report(region("home", "inside"), stale: true), region: nil))
        #expect(summary.exitStatus == 3)
        #expect(summary.text.contains("STALE"))
        #expect(summary.nagios.exitStatus == 3)
    }

    @Test func `the plugin's line has words, performance data and the convention's exit status`() throws {
        let inside = try #require(StatusSummary(report(region("home", "inside", rssi: -70)), region: nil)).nagios
        #expect(
            inside.line == "OKAERI OK - home inside | 'home_inside'=1;;;0;1 'home_rssi'=-70 'home_age'=0.5s dropped=0c")
        #expect(inside.exitStatus == 0)
        let outside = try #require(StatusSummary(report(region("home", "outside")), region: nil)).nagios
        #expect((outside.line.prefix(14), outside.exitStatus) == ("OKAERI WARNING", 1))
        let unknown = try #require(StatusSummary(report(region("home", "unknown")), region: nil)).nagios
        #expect((unknown.line.prefix(14), unknown.exitStatus) == ("OKAERI UNKNOWN", 3))
        let off = report(region("home", "unknown"), bluetooth: "poweredOff")
        let critical = try #require(StatusSummary(off, region: nil)).nagios
        #expect(critical.exitStatus == 2)
        #expect(critical.line.filter { $0 == "|" }.count == 1, "a bar in the words would begin the data")
    }

    @Test func `a person reads what became of the kept state, and why it is not kept`() throws {
        var report = report(region("home", "inside"))
        report.kept = .init(
            file: "/var/lib/okaeri/state.json", start: "stale", age: 10_800,
            reason: Restoration.stale(age: .seconds(10_800)).description, problem: "No space left on device")
        let text = try #require(StatusSummary(report, region: nil)).text
        #expect(text.contains("State      is stale, 3 h old"))
        #expect(text.contains("NOT KEPT: /var/lib/okaeri/state.json: No space left on device"))
    }

    @Test func `a person reads what is wrong and what to do`() throws {
        var report = report(region("home", "inside", rssi: -70), bluetooth: "poweredOff")
        report.prompts = [PromptReport(Prompt(id: "3", ssid: "HomeNet", regions: ["home"], arrival: 1))]
        report.counters.dropped = 5
        report.simulated = ["wifi"]
        let text = try #require(StatusSummary(report, region: nil)).text
        for words in [
            "home", "-70 dBm", "2.1 m near", "why | how", "okaeri answer 3", "5 packets", "NOT REAL", "NetworkManager",
        ] {
            #expect(text.contains(words), "\(words)")
        }
    }
}
