import HCI
import OkaeriDaemonTestSupport
import OkaeriWiFi
import RegionMonitoring
import Testing

@testable import OkaeriDaemon
@testable import OkaeriEvents

@Suite struct StatusSummaryTests {
    @Test func `without a region the next command is shown, and the state is unknown`() throws {
        let summary = try #require(StatusSummary(statusReport(), region: nil))
        #expect(summary.text().hasPrefix("Regions    none yet; `sudo okaeri setup` finds your beacon\nBluetooth  "))
        #expect(summary.exitStatus == 2)
    }

    @Test(
        arguments: [
            ([.inside], 0), ([.outside], 1), ([.unknown], 2), ([.outside, .inside, .unknown], 0),
            ([.outside, .unknown], 2), ([], 2),
        ] as [([RegionState], Int32)])
    func `the exit status shows the state`(states: [RegionState], status: Int32) throws {
        var report = statusReport()
        report.regions = states.map { regionReport($0.rawValue, $0) }
        #expect(try #require(StatusSummary(report, region: nil)).exitStatus == status)
    }

    @Test func `each network has its prompts, and the end and the cause of its cool-down`() throws {
        var report = statusReport()
        var delayed = NetworkPromptsReport(ssid: "HomeNet", prompts: 1)
        delayed.coolDownUntil = "2026-11-20T18:47:00.000Z"
        delayed.coolDownReason = "the last attempt failed"
        report.networks = [delayed, NetworkPromptsReport(ssid: "Office", prompts: 0)]
        let text = try #require(StatusSummary(report, region: nil)).text()
        let end = LocalTime.text(stamp: "2026-11-20T18:47:00.000Z")
        #expect(
            text.contains(
                "           \"HomeNet\": 1 prompt since the start; none until \(end), because the last attempt failed\n"
                    + "           \"Office\": no prompt since the start"))
    }

    @Test func `the share of the scan has a line with its reason, while the adapter listens`() throws {
        var report = statusReport()
        report.bluetooth.listening = true
        let mode = ScanMode(timing: .shared, reason: .wifiInUse)
        report.bluetooth.scan = ScanReport(mode, listened: .seconds(20), received: .seconds(10))
        let line = "\n           50 % of the time: 2.4 GHz Wi-Fi is in use\n"
        #expect(try #require(StatusSummary(report, region: nil)).text().contains(line))
        report.bluetooth.listening = false
        #expect(try !#require(StatusSummary(report, region: nil)).text().contains(line))
    }

    @Test func `each server that is notified has a line`() throws {
        var report = statusReport()
        var notified = NotificationReport(target: "notify[0]", type: "ntfy", address: "https://ntfy.sh")
        report.notifications = [notified]
        #expect(
            try #require(StatusSummary(report, region: nil)).text().contains(
                "\nNotify     ntfy at https://ntfy.sh: none sent yet"))
        notified.lastSent = "2026-11-21T07:31:09Z"
        notified.waiting = 2
        notified.problem = "it answers 503"
        report.notifications = [notified]
        let text = try #require(StatusSummary(report, region: nil)).text()
        #expect(
            text.contains("the last one at 2026-11-21 ")
                && text.contains("; 2 messages queued; NOT DELIVERED: it answers 503"))
        #expect(HealthReport(report).warnings.map(\.part) == ["notify"])
    }

    @Test func `the number of regions that are inside is shown, and a house counts by its agreement`() throws {
        var away = regionReport("keys", .outside)
        away.house = .init(state: .inside, lastKnown: .inside)
        var near = regionReport("bag", .inside)
        near.house = .init(state: .unknown, lastKnown: .unknown)
        let report = statusReport(away, near, regionReport("car", .unknown), regionReport("bike", .outside))
        #expect(report.occupancy.map { [$0.inside, $0.outside, $0.unknown] } == [2, 1, 1])
        #expect(report.occupancy?.state == .inside)
        #expect(report.occupancy?.present?.map(\.region) == ["keys", "bag"])
        let summary = try #require(StatusSummary(report, region: nil))
        #expect(summary.text().contains("\nRegions    2 of 4 inside, 1 unknown\n"))
        let one = try #require(StatusSummary(report, region: "bag"))
        #expect(!one.text().contains("of 4 inside") && one.report.occupancy == nil)
        #expect(Occupancy([.outside, .unknown]).state == .unknown && Occupancy([]).state == .unknown)
    }

    @Test
    func `a region that another node has not decided yet leaves the home unknown, and one that is inside has its room`()
    {
        var alone = regionReport("Anna", .outside)
        alone.house = .init(state: .unknown, lastKnown: .unknown)
        #expect(Occupancy([alone]).state == .unknown)
        alone.house = .init(state: .inside, lastKnown: .inside, room: "kitchen")
        #expect(Occupancy([alone, regionReport("Bob", .outside)]).present == [.init(region: "Anna", room: "kitchen")])
        #expect(Occupancy([regionReport("Bob", .outside)]).state == .outside)
    }

    @Test func `one region alone counts when it is named`() throws {
        let report = statusReport(regionReport("home", .inside), regionReport("shed", .outside))
        #expect(try #require(StatusSummary(report, region: "shed")).exitStatus == 1)
        #expect(StatusSummary(report, region: "nowhere") == nil)
    }

    @Test(arguments: [(15, false), (14, true)])
    func `A battery level is shown, and below 15 % a warning`(percent: Int, isLow: Bool) throws {
        var region = regionReport("home", .inside, rssi: -70)
        region.battery = BatteryReport(
            percent: percent, time: "2026-11-20T18:42:03.250Z", source: "advertised", major: 7, minor: 8)
        let text = try #require(StatusSummary(statusReport(region), region: nil)).text()
        #expect(text.contains("received 0.5 s ago  battery \(percent) %\n"))
        #expect(text.contains("BATTERY LOW: the beacon with major 7 and minor 8 had 14 % at 2026-11-2") == isLow)
        region.beacon = nil
        let gone = try #require(StatusSummary(statusReport(region), region: nil)).text()
        #expect(gone.hasPrefix("home       inside  battery \(percent) %\n"))
        let json = try #require(StatusSummary(statusReport(region), region: nil)).json
        #expect(json.contains(#""low":\#(isLow)"#) && !json.contains("\n"))
    }

    @Test func `the answer of a loop that has stopped is stale`() throws {
        let summary = try #require(
            StatusSummary(statusReport(regionReport("home", .inside), stale: true), region: nil))
        #expect(summary.exitStatus == 3)
        #expect(summary.text().contains("STALE"))
    }

    @Test func `a person reads what became of the kept state, and why it is not kept`() throws {
        var report = statusReport(regionReport("home", .inside))
        report.kept = .init(
            file: "/var/lib/okaeri/state.json", start: "stale", age: 10_800,
            reason: Restoration.stale(age: .seconds(10_800)).description, problem: "No space left on device",
            historyProblem: "the disk is full")
        report.saved = .init(file: "/s/regions.json", problems: ["/s/regions.json: keys is not used: uuid"])
        let text = try #require(StatusSummary(report, region: nil)).text()
        #expect(text.contains("Regions    NOT USED: /s/regions.json: keys is not used: uuid"))
        #expect(text.contains("State      is stale, 3 h old"))
        #expect(text.contains("NOT KEPT: /var/lib/okaeri/state.json: No space left on device"))
        #expect(text.contains("NO HISTORY: the disk is full"))
    }

    @Test func `the status names the command that takes an answer of never back`() throws {
        var report = statusReport(regionReport("home", .inside))
        #expect(try #require(StatusSummary(report, region: nil)).text().contains("Never") == false)
        report.never = ["HomeNet", "Mum's\u{1B}[2J"]
        let text = try #require(StatusSummary(report, region: nil)).text()
        #expect(text.contains("Never      \"HomeNet\" is never offered or joined"))
        #expect(text.contains("okaeri prompts --clear 'HomeNet'"))
        #expect(text.contains(#"--clear 'Mum'\''s"#) && !text.contains("\u{1B}"))
    }

    @Test(arguments: [
        ("captivePortal", "wlan0; a login on a web page is required"), ("noInternet", "wlan0; without Internet"),
        (nil, "wlan0"), ("fromANewerDaemon", "wlan0"),
    ])
    func `the status shows what limits the access to the Internet`(code: String?, words: String) throws {
        var report = statusReport(regionReport("home", .inside))
        report.wifi = .init(
            managerRunning: true, radioEnabled: true, hardwareEnabled: true, device: "wlan0", connectedSSID: "HomeNet",
            limitation: code, activating: false)
        let text = try #require(StatusSummary(report, region: nil)).text()
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("Wi-Fi") })
        #expect(line.hasSuffix("connected to \"HomeNet\", \(words)"))
    }

    @Test func `a person reads which devices are connected`() throws {
        var report = statusReport(regionReport("home", .inside))
        #expect(try #require(StatusSummary(report, region: nil)).json.contains("services") == false)
        report.services = [
            ServiceReport(
                identifier: "lamp", service: "1815", connected: true, address: "DC:A6:32:01:02:03", name: "Lamp"),
            ServiceReport(identifier: nil, service: "180D", connected: false),
            ServiceReport(identifier: "watch", service: "180D", connected: false, reason: "it was refused"),
        ]
        let lines = try #require(StatusSummary(report, region: nil)).text().split(separator: "\n")
        #expect(lines.contains("lamp       connected to Lamp, DC:A6:32:01:02:03"))
        #expect(lines.contains("180D       not connected"))
        #expect(lines.contains("watch      not connected: it was refused"))
        #expect(!lines.contains { $0.hasPrefix("WRONG") }, "once is enough")
        let finding = try #require(report.judged.first { $0.subject == "services" })
        #expect(finding.code == "peripheralNotConnected" && finding.verdict == .wrong && finding.alarm == nil)
        #expect(finding.sentence == "\"watch\": it was refused" && finding.values == ["watch", "it was refused"])
        #expect(report.judged.count { $0.subject == "services" } == 1, "one that is out of range is not wrong")
    }

    @Test func `a person reads what is wrong and what to do`() throws {
        var report = statusReport(regionReport("home", .inside, rssi: -70), bluetooth: .poweredOff)
        report.prompts = [Prompt(id: "3", ssid: "HomeNet", regions: ["home"], arrival: 1)]
        report.counters.dropped = 5
        report.simulated = ["wifi"]
        let text = try #require(StatusSummary(report, region: nil)).text()
        for words in [
            "home", "-70 dBm", "2.1 m near", "why | how", "okaeri answer 3", "5 packets", "NOT REAL", "NetworkManager",
        ] {
            #expect(text.contains(words), "\(words)")
        }
    }

    @Test func `the house's states stand in for this node's`() throws {
        var report = statusReport(regionReport("home", .outside, rssi: -60), regionReport("shed", .inside))
        #expect(report.ofHouse == nil, "no broker, no house")
        report.mqtt = .init(connected: true, reason: "connected")
        report.regions[0].house = HouseReport(
            state: .inside, lastKnown: .inside, since: "2026-11-22T17:00:00Z", room: "kitchen", owner: "hall")
        let house = try #require(report.ofHouse)
        #expect(house.regions.map(\.state) == [.inside, .unknown])
        #expect(house.regions.allSatisfy { $0.beacon == nil }, "a beacon is what this node hears")
        let home = try #require(StatusSummary(house, region: "home", isHouse: true))
        #expect(home.exitStatus == 0)
        #expect(home.text().contains("home       inside since "))
        #expect(home.text().contains(", in kitchen, by hall"))
        #expect(home.text(in: .japanese).contains("、部屋：kitchen、判定：hall"), "\(home.text(in: .japanese))")
        let own = try #require(StatusSummary(report, region: "home"))
        #expect(!own.text().contains("kitchen"), "this node's own")
        #expect(try #require(StatusSummary(house, region: "shed")).exitStatus == 2, "unknown rather than wrong")
    }

    @Test func `what others write to a broker does not reach the terminal as it is`() {
        let report = NodesReport(
            node: "hall", site: "home", connected: true, reason: "",
            nodes: [NodeReport(name: "attic", online: true, room: "\u{1B}[2Jroom", listening: false, reason: "a\nb")],
            regions: [
                .init(identifier: "keys", house: HouseReport(state: .inside, lastKnown: .inside, room: "\u{1B}c"))
            ])
        #expect(report.lines.allSatisfy { line in line.unicodeScalars.allSatisfy { $0.value >= 0x20 } })
        #expect(report.lines.count == 3)
    }

    @Test func `a person reads that a restart is pending, and that the file was not read again`() throws {
        var report = statusReport(regionReport("home", .inside))
        report.configuration = .init(
            file: "f", time: "2026-11-21T07:31:09Z", problem: "f: a\nf: b",
            restart: [.init(key: "history.keep", reason: "no event is recorded until then")])
        report.listeners = [.init(name: "web", address: "127.0.0.1:1", refused: "127.0.0.1:2 cannot be opened: taken")]
        report.mqtt = .init(connected: false, reason: "it is away", since: "2026-11-21T07:31:09Z")
        let text = try #require(StatusSummary(report, region: nil)).text()
        #expect(
            text.contains(
                "\nRestart    pending for history.keep: no event is recorded until then; run `sudo systemctl restart okaeri`\n"
            ))
        #expect(text.contains(" stays in force:\n           f: a\n           f: b"))
        #expect(text.contains("\nPage       served on 127.0.0.1:1; NOT MOVED: 127.0.0.1:2 cannot be opened: taken\n"))
        #expect(text.contains("\nMQTT       it is away\n           not connected, since 2026-11-21 "))
    }
}
