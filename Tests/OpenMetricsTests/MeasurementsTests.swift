import FoundationEssentials
import HCI
import OkaeriDaemonTestSupport
import OkaeriRooms
import OkaeriTestSupport
import OkaeriWiFi
import RegionMonitoring
import Testing

@testable import OkaeriEvents
@testable import OkaeriServer

@Suite struct MeasurementsTests {
    private func judgement(silence: Double, keepsInside: Bool = true, signal: Double? = -61.5) -> JudgementReport {
        JudgementReport(
            major: 1, minor: 2, keepsInside: keepsInside, age: silence, silence: silence, exitAfter: 12,
            exitReason: "learned", signal: signal, claimedPower: -59, accuracy: 1, proximity: "near")
    }

    private func samples(
        _ status: StatusReport, _ change: (inout DaemonCounts) -> Void = { _ in }
    ) -> [String: String] {
        var counts = DaemonCounts(started: evening, version: "0.1.0", commit: "abc1234")
        change(&counts)
        let text = Exposition.openMetrics.text(Measurements(status, counts).families)
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        let pairs = lines.map { line in
            let end = line.lastIndex(of: " ") ?? line.endIndex
            return (String(line[..<end]), String(line[end...].dropFirst()))
        }
        #expect(Set(pairs.map(\.0)).count == pairs.count, "no series is there twice")
        return Dictionary(pairs) { first, _ in first }
    }

    @Test func `each server that is notified has its results`() {
        var status = statusReport()
        #expect(!samples(status).keys.contains { $0.hasPrefix("okaeri_notifications") })
        var report = NotificationReport(target: "notify[0]", type: "ntfy", address: "https://ntfy.sh")
        (report.sent, report.failed, report.dropped, report.waiting) = (4, 3, 2, 1)
        status.notifications = [report]
        let samples = samples(status)
        for (result, count) in [("sent", "4"), ("failed", "3"), ("dropped", "2")] {
            #expect(samples["okaeri_notifications_total{target=\"notify[0]\",result=\"\(result)\"}"] == count)
        }
        #expect(samples["okaeri_notifications_waiting{target=\"notify[0]\"}"] == "1")
    }

    @Test func `a region has its state, signal, silence and time-out`() {
        var home = regionReport("home", .inside)
        home.since = "2026-11-20T18:42:03.250Z"
        home.beacons = [judgement(silence: 50, keepsInside: false), judgement(silence: 0.5)]
        var keys = regionReport("keys", .outside)
        keys.beacons = [judgement(silence: 40)]
        let cellar = regionReport("cellar", .unknown)
        let found = samples(statusReport(home, keys, cellar))
        #expect(found[#"okaeri_region_state{region="home",state="inside"}"#] == "1")
        #expect(found[#"okaeri_region_state{region="home",state="unknown"}"#] == "0")
        #expect(found[#"okaeri_region_state{region="cellar",state="unknown"}"#] == "1")
        #expect(found[#"okaeri_region_since_timestamp_seconds{region="home"}"#] == "1795200123.25")
        #expect(found[#"okaeri_region_since_timestamp_seconds{region="keys"}"#] == nil)
        #expect(found[#"okaeri_region_signal_dbm{region="home"}"#] == "-61.5")
        #expect(found[#"okaeri_region_signal_dbm{region="keys"}"#] == nil, "what is gone has no signal")
        #expect(found[#"okaeri_region_silence_seconds{region="home"}"#] == "0.5")
        #expect(found[#"okaeri_region_silence_seconds{region="keys"}"#] == "40.0")
        #expect(found[#"okaeri_region_timeout_seconds{region="home"}"#] == "12.0")
        #expect(found[#"okaeri_region_timeout_seconds{region="cellar"}"#] == "30.0")
    }

    @Test func `A region whose beacon sends its battery level has it as a ratio`() {
        var home = regionReport("home", .inside)
        home.battery = BatteryReport(percent: 12, time: "", source: "advertised", major: 1, minor: 2)
        let found = samples(statusReport(home, regionReport("keys", .outside)))
        #expect(found[#"okaeri_region_battery_ratio{region="home"}"#] == "0.12")
        #expect(found[#"okaeri_region_battery_ratio{region="keys"}"#] == nil)
    }

    @Test func `strangers are counted, and make no series`() {
        let none = samples(statusReport())
        let many = samples(statusReport()) { counts in
            counts.beacons.ours = 1
            counts.beacons.strangers = 500
        }
        #expect(many[#"okaeri_beacons{of="regions"}"#] == "1")
        #expect(many[#"okaeri_beacons{of="strangers"}"#] == "500")
        #expect(Set(many.keys) == Set(none.keys))
    }

    @Test func `events are counted by their fields`() {
        let wifi = Event.WiFi(id: "1", ssid: "HomeNet", region: "home")
        let found = samples(statusReport()) { counts in
            for kind: Event.Kind in [
                .didExitRegion(region: "home"), .didExitRegion(region: "keys"), .wifiPrompt(wifi),
                .wifiPromptAnswered(wifi, answer: .join), .wifiJoinFailed(wifi, code: "notInSight", reason: ""),
                .wifiJoinFailed(wifi, code: "of another version", reason: ""), .wifiJoined(wifi, device: nil),
                .house(region: "home", .didExitRegion(isOwner: true)),
            ] {
                counts.events.count(kind)
            }
            counts.hooks = HookTally(keys: ["onEnter"], causes: ["exited"])
            counts.hooks.runs["onEnter"] = 3
            (counts.hooks.waiting, counts.hooks.dropped, counts.unwritten) = (2, 1, 4)
        }
        #expect(found[#"okaeri_events_total{event="didExitRegion",scope="node"}"#] == "2")
        #expect(found[#"okaeri_events_total{event="didExitRegion",scope="house"}"#] == nil, "there is no house")
        #expect(found[#"okaeri_events_total{event="didEnterRegion",scope="node"}"#] == "0")
        #expect(found["okaeri_prompts_total"] == "1")
        #expect(found[#"okaeri_prompt_answers_total{answer="join"}"#] == "1")
        #expect(found[#"okaeri_wifi_join_failures_total{code="notInSight"}"#] == "1")
        #expect(found[#"okaeri_wifi_join_failures_total{code="wrongPassphrase"}"#] == "0")
        #expect(found["okaeri_wifi_joins_total"] == "1")
        #expect(found[#"okaeri_hook_runs_total{hook="onEnter"}"#] == "3")
        #expect(found[#"okaeri_hook_failures_total{cause="exited"}"#] == "0")
        #expect(found["okaeri_hook_queue_length"] == "2" && found["okaeri_hook_drops_total"] == "1")
        #expect(found["okaeri_history_queue_length"] == "4")
        #expect(found[#"okaeri_build_info{version="0.1.0",commit="abc1234"}"#] == "1")
        #expect(found["process_start_time_seconds"].flatMap(Double.init) == Double(evening / 1_000_000) / 1000)
    }

    @Test func `what is not there makes no series, and a house does`() {
        var status = statusReport(bluetooth: .poweredOff)
        #expect(samples(status)["okaeri_mqtt_connected"] == nil)
        #expect(samples(status)[#"okaeri_disk_problem{store="state"}"#] == nil)
        status.mqtt = .init(connected: true, reason: "")
        status.kept = .init(file: "/s", start: "nothing", reason: "", problem: nil, historyProblem: "full")
        status.counters = .init(reports: 10, iBeacons: 5, malformed: 2, dropped: 1, scanRestarts: 3)
        status.services = [ServiceReport(identifier: "watch", service: "180D", connected: false)]
        status.air = .init(devices: 4, isRepresentative: true, deaf: 2.5)
        let mode = ScanMode(timing: .shared, reason: .wifiInUse)
        status.bluetooth.scan = ScanReport(mode, listened: .seconds(20), received: .seconds(10.5))
        let found = samples(status)
        #expect(found["okaeri_scan_share_ratio"] == "0.5" && found["okaeri_scan_window_seconds_total"] == "10.5")
        #expect(found[#"okaeri_scan_mode{reason="wifiInUse"}"#] == "1")
        #expect(found[#"okaeri_scan_mode{reason="lateBeacon"}"#] == "0")
        #expect(found["okaeri_mqtt_connected"] == "1" && found["okaeri_healthy"] == "0")
        #expect(found[#"okaeri_disk_problem{store="state"}"#] == "0")
        #expect(found[#"okaeri_disk_problem{store="history"}"#] == "1")
        #expect(found[#"okaeri_events_total{event="didDetermineRoom",scope="house"}"#] == "0")
        #expect(found[#"okaeri_bluetooth_state{state="poweredOff"}"#] == "1")
        #expect(found["okaeri_scan_restarts_total"] == "3" && found["okaeri_reports_total"] == "10")
        #expect(found["okaeri_ibeacon_reports_total"] == "5" && found["okaeri_malformed_events_total"] == "2")
        #expect(found["okaeri_dropped_packets_total"] == "1" && found["okaeri_air_deaf_seconds_total"] == "2.5")
        #expect(found[#"okaeri_peripheral_connected{service="watch"}"#] == "0")
        #expect(found["okaeri_peripheral_connection_failures_total"] == "0")
    }

    @Test func `the page has them all`() throws {
        let root = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
        let page = try #require(FileManager.default.contents(atPath: "\(root)/docs/monitoring.md"))
        let rows = String(decoding: page, as: UTF8.self).split(separator: "\n").filter { $0.hasPrefix("| `") }
        let names = rows.compactMap { $0.split(separator: "`").dropFirst().first }.filter { $0.contains("_") }
        let families = Measurements(
            statusReport(), DaemonCounts(started: 0, version: "", commit: "")
        ).families
        let suffixes: [MetricFamily.Kind: String] = [.counter: "_total", .info: "_info"]
        #expect(names.map(String.init).sorted() == families.map { $0.name + (suffixes[$0.kind] ?? "") }.sorted())
    }

    @Test func `names are those of Prometheus' conventions`() {
        let families = Measurements(
            statusReport(), DaemonCounts(started: 0, version: "", commit: "")
        ).families
        #expect(Set(families.map(\.name)).count == families.count)
        for family in families {
            #expect(family.name.wholeMatch(of: /(okaeri|process)(_[a-z]+)+/) != nil)
            #expect(family.name.hasSuffix(family.unit ?? ""))
            #expect(family.help.hasSuffix(".") && family.help.count > 10)
        }
    }
}
