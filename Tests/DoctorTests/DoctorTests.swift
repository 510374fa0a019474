import Bluetooth
import DBus
import DaemonTestSupport
import Plumbing
import RegionMonitoring
import TestSupport
import Testing
import WiFi

@testable import Events
@testable import Client
@testable import Setup
@testable import OkaeriConfiguration

@Suite struct DoctorTests {
    private func findings(_ adapters: [Adapter], named: String? = nil) -> [String] {
        Doctor.adapterFindings(.success(adapters), named: named).map {
            "\($0.verdict) \($0.finding) → \($0.mend ?? "")"
        }
    }

    @Test func `each state of the adapters has its finding and its remedy`() {
        let up = Adapter(index: 0, name: "hci0", isUp: true)
        let down = Adapter(index: 1, name: "hci1", isUp: false)
        #expect(findings([down, up]) == ["ok hci0 is up → "])
        #expect(
            findings([up, down], named: "hci1").first?.contains("hci1 is down → run `bluetoothctl power on`") == true)
        #expect(findings([up], named: "hci7").first?.hasPrefix("wrong there is no hci7, only hci0") == true)
        #expect(findings([]).first?.hasPrefix("wrong there is none") == true)
        let soft = Adapter(index: 0, name: "hci0", isUp: false, radioBlock: .soft)
        #expect(findings([soft]).first?.hasSuffix("run `rfkill unblock bluetooth`") == true)
        let hard = Adapter(index: 0, name: "hci0", isUp: false, radioBlock: .hard)
        #expect(findings([hard]).first?.contains("hardware switch") == true)
    }

    @Test func `an adapter without Bluetooth LE is distinguished from one that refuses to scan`() {
        let classic = Adapter(index: 0, name: "hci0", isUp: true, hasLowEnergy: false)
        let up = Adapter(index: 1, name: "hci1", isUp: true)
        #expect(findings([classic, up]) == ["ok hci1 is up → "])
        let missing =
            "wrong hci0 has no Bluetooth LE, which beacons use → plug in an adapter with Bluetooth 4.0 or later"
        #expect(findings([classic]) == [missing])
        #expect(findings([classic, up], named: "hci0").first?.hasPrefix(missing) == true)
        let busy = statusReport(bluetooth: .resetting).bluetooth
        #expect(Doctor.radioFindings(busy).map(\.finding) == [busy.reason])
        #expect(Doctor.radioFindings(statusReport(bluetooth: .poweredOff).bluetooth).isEmpty)
    }

    @Test(arguments: [
        ("6.12.93+rpt-rpi-v8", true), ("6.12.92", false), ("6.12.94", false), ("6.18.33-v8", false),
        ("6.18.34+rpt-rpi-2712", true), ("6.18.35", true), ("6.18.36", false), ("6.1.93", false), ("6.12", false),
        ("6.12.93.1", true), ("", false), ("linux", false), ("6", false), ("6.99999999999999999999.1", false),
    ])
    func `a kernel that refuses advertisements is named`(release: String, isAffected: Bool) {
        let findings = Doctor.kernelFindings(release)
        #expect(findings.isEmpty == !isAffected)
        #expect(findings.allSatisfy { $0.verdict == .note && $0.finding.contains(release) })
    }

    @Test func `a missing capability has the command that grants it`() {
        #expect(Doctor.permissionFindings(mayScan: true).map(\.verdict) == [.ok])
        #expect(Doctor.permissionFindings(mayScan: false).first?.mend?.contains("AmbientCapabilities") == true)
    }

    @Test func `a region of the page that is not used has the file to correct`() {
        #expect(Doctor.savedFindings(nil).isEmpty && Doctor.savedFindings(.init(file: "/s/regions.json")).isEmpty)
        let findings = Doctor.savedFindings(.init(file: "/s/regions.json", problems: ["keys is not used"]))
        #expect(findings.map(\.verdict) == [.wrong] && findings[0].mend?.contains("/s/regions.json") == true)
    }

    @Test func `A battery below 15 % is reported with its beacon, and one with more is not`() {
        func findings(_ percent: Int) -> [Finding] {
            var region = regionReport("keys", .outside)
            region.battery = BatteryReport(
                percent: percent, time: "2026-11-20T18:42:03.250Z", source: "advertised", major: 7, minor: 8)
            return Doctor.batteryFindings([region, regionReport("home", .inside)])
        }
        #expect(findings(15).isEmpty)
        #expect(findings(14).map(\.verdict) == [.note])
        #expect(findings(14)[0].finding.hasPrefix("keys: the beacon with major 7 and minor 8 had 14 % at 2026-11-2"))
        #expect(findings(14)[0].mend == "replace the battery of the beacon")
    }

    @Test(.timeLimit(.minutes(5)))
    func `every network is looked at`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("beacons.json", Array(Configuration.example.utf8))
        let doctor = Doctor(configurationFile: file, client: APIClient(socket: "/tmp/okaeri-nobody.sock"))
        #expect(await doctor.networkFindings(SimulatedWiFi(inSight: ["HomeNet"])).map(\.verdict) == [.ok, .ok])
        let away = await doctor.networkFindings(SimulatedWiFi(inSight: []))
        #expect(away.map(\.verdict) == [.ok, .note])
        let off = SimulatedWiFi(inSight: ["HomeNet"])
        off.change { $0.radioEnabled = false }
        #expect(await doctor.networkFindings(off).map(\.verdict) == [.ok, .note])
        off.change { $0.hardwareEnabled = false }
        #expect(await doctor.networkFindings(off).map(\.verdict) == [.ok, .wrong])
    }

    @Test func `a desktop needs a notification server and the agent`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("beacons.json", Array(Configuration.example.utf8))
        let doctor = Doctor(configurationFile: file, client: APIClient(socket: "\(folder.path)/none.sock"))
        let daemon = try BusDaemon(at: "\(folder.path)/bus")
        let session = ["WAYLAND_DISPLAY": "wayland-0", "XDG_RUNTIME_DIR": folder.path]
        func verdicts(_ environment: [String: String]) async -> [Finding.Verdict] {
            await doctor.desktopFindings(bus: daemon.address, environment: environment).map(\.verdict)
        }
        #expect(await verdicts([:]).isEmpty, "a session without a desktop")
        #expect(await verdicts(session) == [.wrong, .note])
        let server = try await Bus.connect(address: daemon.address)
        _ = try await server.call(
            "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "RequestName",
            [.string("org.freedesktop.Notifications"), .uint32(0)])
        let agent = SessionLock("\(folder.path)/\(SessionLock.agentFile)")
        #expect(await verdicts(session) == [.ok, .ok])
        withExtendedLifetime(agent) {}
    }

    @Test func `a new user gets each step with its command, in order`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("beacons.json", Array(Configuration.example.utf8))
        let doctor = Doctor(configurationFile: file, client: APIClient(socket: "\(folder.path)/nobody.sock"))
        let steps = await doctor.firstSteps()
        // What this machine has in place of an adapter and of NetworkManager is not the test's.
        let own = steps.filter { ["service", "configuration", "beacon"].contains($0.subject) }
        #expect(own.map(\.verdict) == [.wrong, .wrong, .note])
        #expect(own[0].mend?.hasPrefix("run `sudo systemctl enable --now okaeri`") == true)
        #expect(own[1].finding == "\(file) is still the example, whose beacon does not exist")
        #expect(own[1].mend?.contains("sudo okaeri setup") == true)
    }

    @Test func `a configuration of one's own is the example no more`() async throws {
        let folder = try TemporaryFolder()
        let text = Configuration.example.replacing("E2C56DB5", with: "0A5A3B6C")
        let file = try folder.file("beacons.json", Array(text.utf8))
        let steps = await Doctor(configurationFile: file, client: APIClient(socket: "/nowhere")).firstSteps()
        #expect(steps.contains { $0.subject == "configuration" && $0.verdict == .ok })
    }

    @Test func `a port that is taken is reported with the remedy`() {
        let problem = "another program has that port; name another one in beacons.json"
        let findings = Doctor.listenerFindings([
            ListenerReport(name: "metrics", address: "127.0.0.1:1", problem: problem),
            ListenerReport(name: "web", address: "127.0.0.1:2"),
        ])
        #expect(findings.map(\.verdict) == [.wrong, .ok])
        #expect(findings[0].finding == "not served on 127.0.0.1:1: \(problem)")
        #expect(Doctor.listenerFindings(nil).isEmpty)
    }

    @Test func `a user without access to the service gets the group's name`() {
        let refused = Doctor.access(.failure(.notPermitted(socket: "s")))
        #expect(refused.subject == "group" && refused.mend == "run `sudo usermod -aG okaeri $USER`, and log in again")
        #expect(Doctor.access(.failure(.noAnswer(socket: "s", reason: "r"))).verdict == .wrong)
    }

    @Test func `a beacon that is received is reported`() {
        let unheard = statusReport(regionReport("home", .unknown))
        #expect(Doctor.beacon(unheard).mend?.contains("okaeri scan") == true)
        let heard = statusReport(regionReport("home", .inside, rssi: -60))
        #expect(Doctor.beacon(heard) == Finding(subject: "beacon", verdict: .ok, finding: "that of home is received"))
        #expect(Doctor.beacon(statusReport()).verdict == .note && Doctor.beacon(nil).mend == nil)
    }

    @Test func `a broker is reported with the time and the last problem`() {
        func findings(_ mqtt: StatusReport.MQTT) -> [Finding] { Doctor.brokerFindings(mqtt) }
        let away = findings(.init(connected: false, reason: "it is away", since: "2026-11-21T07:31:09Z"))
        #expect(away.map(\.verdict) == [.wrong])
        #expect(
            away[0].finding.hasPrefix("not connected since 2026-11-21 ") && away[0].finding.hasSuffix(": it is away"))
        let back = findings(
            .init(
                connected: true, reason: "connected", since: "2026-11-21T07:31:09Z", lastError: "it was away",
                lastErrorTime: "2026-11-21T07:31:00Z"))
        #expect(back.map(\.verdict) == [.ok, .note] && back[1].finding.hasSuffix(": it was away"))
        let faulty = findings(.init(connected: true, reason: "r", problem: "it delivers none; allow this node to read"))
        #expect(faulty.map(\.text) == ["wrong  MQTT: it delivers none; allow this node to read"])
        #expect(Doctor.brokerFindings(nil).isEmpty)
    }

    @Test func `a server that is notified is reported with its last problem`() {
        var report = NotificationReport(target: "notify[0]", type: "ntfy", address: "https://ntfy.sh")
        // Without an arrow: it is no missing step of the set-up.
        #expect(Doctor.notificationFindings([report]).map(\.verdict) == [.note])
        #expect(Doctor.notificationFindings([report]).allSatisfy { $0.mend == nil })
        report.sent = 3
        #expect(
            Doctor.notificationFindings([report])
                == [
                    Finding(
                        subject: "notify", verdict: .ok,
                        finding: "notify[0], ntfy at https://ntfy.sh: 3 sent since the start")
                ])
        report.problem = "libcurl cannot be loaded"
        let failed = Doctor.notificationFindings([report])
        #expect(failed[0].verdict == .wrong && failed[0].finding.hasSuffix("https://ntfy.sh: libcurl cannot be loaded"))
        #expect(Doctor.notificationFindings(nil).isEmpty)
    }

    @Test func `a file that the daemon does not use, and a restart that is pending, have their commands`() {
        let findings = Doctor.loadedFindings(
            .init(
                file: "f", time: "2026-11-21T07:31:09Z", problem: "f: a\nf: b",
                restart: [.init(key: "history.keep", reason: "no event is recorded until then")]))
        #expect(findings.map(\.verdict) == [.note, .wrong])
        #expect(findings[0].finding == "pending for history.keep: no event is recorded until then")
        #expect(findings[0].mend == "run `sudo systemctl restart okaeri`")
        #expect(findings[1].finding.hasSuffix("f: a; f: b"))
        #expect(findings[1].mend?.contains("sudo systemctl reload okaeri") == true)
        #expect(Doctor.loadedFindings(nil).isEmpty)
    }

    @Test func `a listener that could not move is wrong`() {
        let report = ListenerReport(name: "web", address: "127.0.0.1:1", refused: "127.0.0.1:2 cannot be opened: taken")
        let findings = Doctor.listenerFindings([report])
        #expect(findings.map(\.verdict) == [.wrong] && findings[0].subject == "page")
        #expect(findings[0].finding == "still served on 127.0.0.1:1, because 127.0.0.1:2 cannot be opened: taken")
    }
}
