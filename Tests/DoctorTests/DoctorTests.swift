import OkaeriBluetooth
import OkaeriDBus
import OkaeriDaemonTestSupport
import OkaeriPlumbing
import OkaeriTestSupport
import OkaeriWiFi
import RegionMonitoring
import Testing

@testable import OkaeriClient
@testable import OkaeriConfiguration
@testable import OkaeriEvents
@testable import OkaeriSetup

@Suite struct DoctorTests {
    private func findings(_ adapters: [Adapter], named: String? = nil) -> [String] {
        Doctor.adapterFindings(.success(adapters), named: named).map {
            "\($0.verdict) \($0.sentence) → \($0.remedy ?? "")"
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
        let busy = statusReport(bluetooth: .resetting)
        #expect(sentences(busy, besides: Doctor.adapterFindings(.success([up]), named: nil)) == [busy.bluetooth.reason])
        let off = statusReport(bluetooth: .poweredOff)
        #expect(sentences(off, besides: Doctor.adapterFindings(.success([classic]), named: nil)).isEmpty)
        #expect(sentences(off, besides: []) == [off.bluetooth.reason], "of an adapter that this machine shows as up")
    }

    private func sentences(_ status: StatusReport, besides adapters: [Finding]) -> [String] {
        Doctor.findings(status, besides: adapters).filter { $0.subject == "bluetooth" }.map(\.sentence)
    }

    @Test func `the findings of the daemon have the names of the doctor, and the members of its JSON`() {
        var status = statusReport(regionReport("home", .inside))
        status.mqtt = .init(connected: true, reason: "r", problem: "it delivers none")
        status.listeners = [.init(name: "web", address: "127.0.0.1:1")]
        status.simulated = ["capture"]
        let found = Doctor.findings(status, besides: [])
        #expect(
            found.map { $0.text() } == [
                "ok     daemon: it runs, with 1 region", "wrong  MQTT: it delivers none",
                "ok     page: served on 127.0.0.1:1", "wrong  source: NOT REAL: capture",
            ])
        #expect(JSON.line(found[1]) == #"{"finding":"it delivers none","subject":"MQTT","verdict":"wrong"}"#)
    }

    @Test(arguments: [
        ("6.12.93+rpt-rpi-v8", true), ("6.12.92", false), ("6.12.94", false), ("6.18.33-v8", false),
        ("6.18.34+rpt-rpi-2712", true), ("6.18.35", true), ("6.18.36", false), ("6.1.93", false), ("6.12", false),
        ("6.12.93.1", true), ("", false), ("linux", false), ("6", false), ("6.99999999999999999999.1", false),
    ])
    func `a kernel that refuses advertisements is named`(release: String, isAffected: Bool) {
        let findings = Doctor.kernelFindings(release)
        #expect(findings.isEmpty == !isAffected)
        #expect(findings.allSatisfy { $0.verdict == .note && $0.sentence.contains(release) })
    }

    @Test func `a missing capability has the command that grants it`() {
        #expect(Doctor.permissionFindings(mayScan: true).map(\.verdict) == [.ok])
        #expect(Doctor.permissionFindings(mayScan: false).first?.remedy?.contains("AmbientCapabilities") == true)
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

    @Test func `a file with a mistake does not say that there is no network to join`() async throws {
        let folder = try TemporaryFolder()
        let wrong = Configuration.example.replacing("\"regions\"", with: "\"adaptor\": 1, \"regions\"")
        let file = try folder.file("beacons.json", Array(wrong.utf8))
        let doctor = Doctor(configurationFile: file, client: APIClient(socket: "\(folder.path)/none.sock"))
        #expect(doctor.configurationFindings.first?.remedy?.hasPrefix("correct the file") == true)
        #expect(await doctor.networkFindings(SimulatedWiFi(inSight: ["HomeNet"])).isEmpty)
    }

    @Test func `a file that is named and absent has one remedy`() throws {
        let folder = try TemporaryFolder()
        let doctor = Doctor(
            configurationFile: "\(folder.path)/absent.json", client: APIClient(socket: "\(folder.path)/none.sock"))
        let findings = doctor.configurationFindings
        #expect(findings.map(\.verdict) == [.wrong] && findings[0].remedy == nil, "\(findings)")
        #expect(findings[0].sentence.contains("absent.json") && findings[0].japanese?.remedy == nil, "\(findings)")
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
        #expect(own[0].remedy?.hasPrefix("run `sudo systemctl enable --now okaeri`") == true)
        #expect(own[1].sentence == "\(file) is still the example, whose beacon does not exist")
        #expect(own[1].remedy?.contains("sudo okaeri setup") == true)
    }

    @Test func `the doctor and the first steps have one sentence for one fact`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("beacons.json", Array(Configuration.example.utf8))
        let doctor = Doctor(configurationFile: file, client: APIClient(socket: "\(folder.path)/nobody.sock"))
        var findings: [Finding] = []
        await doctor.examine { findings.append($0) }
        let steps = await doctor.firstSteps()
        for subject in ["service", "configuration"] {
            func sentences(_ list: [Finding]) -> [String] {
                list.filter { $0.subject == subject }.map { "\($0.sentence) → \($0.remedy ?? "")" }
            }
            #expect(!sentences(steps).isEmpty && sentences(findings) == sentences(steps), "\(subject)")
        }
        #expect(
            findings.first { $0.subject == "service" }?.verdict == .note,
            "a check is for a machine without a daemon, too")
    }

    @Test func `a configuration of one's own is the example no more`() async throws {
        let folder = try TemporaryFolder()
        let text = Configuration.example.replacing("5F1C2A8E", with: "0A5A3B6C")
        let file = try folder.file("beacons.json", Array(text.utf8))
        let steps = await Doctor(configurationFile: file, client: APIClient(socket: "/nowhere")).firstSteps()
        #expect(steps.contains { $0.subject == "configuration" && $0.verdict == .ok })
    }

    @Test func `a user without access to the service gets the group's name`() {
        let refused = Doctor.access(.notPermitted(socket: "s"))
        #expect(refused.subject == "group" && refused.remedy?.contains("`sudo usermod -aG okaeri $USER`") == true)
        #expect(Doctor.access(.noAnswer(socket: "s", reason: "r")).verdict == .wrong)
    }

    @Test func `a container does not report that bluetoothd is missing, whose process it does not see`() {
        #expect(Doctor.bluetoothd(in: .container) == nil && Doctor.bluetoothd(in: .homeAssistant) == nil)
        #expect(Doctor.bluetoothd(in: .machine)?.subject == "bluetoothd")
    }

    @Test func `a beacon that is received is reported`() {
        let unheard = statusReport(regionReport("home", .unknown))
        #expect(Doctor.beacon(unheard).remedy?.contains("okaeri scan") == true)
        let heard = statusReport(regionReport("home", .inside, rssi: -60))
        #expect(Doctor.beacon(heard).text() == "ok     beacon: the beacon of \"home\" is received")
        #expect(Doctor.beacon(statusReport()).verdict == .note && Doctor.beacon(nil).remedy == nil)
    }
}
