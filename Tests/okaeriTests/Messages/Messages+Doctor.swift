import Glibc
import OkaeriBluetooth
import OkaeriClient
import OkaeriDaemonTestSupport
import OkaeriEvents
import OkaeriPlumbing
import RegionMonitoring

@testable import OkaeriConfiguration
@testable import OkaeriSetup

extension Messages {
    static var doctor: [Section] {
        [
            Section(
                "Doctor", findings.filter { $0.verdict != .ok }.map { $0.text().replacing("\n        ", with: "") }),
            Section("ServiceControl.Failure", serviceFailures),
            Section("ConfigurationCheck.Remark", remarks),
        ]
    }

    /// Of files that no machine has, and of addresses.
    private static var remarks: [ConfigurationCheck.Remark] {
        let json = """
            {"regions": [{"identifier": "home", "uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "onEnter": ["/none/welcome"],
            "onExit": ["/"], "onPrompt": ["no-such-program"], "wifi": {"ssid": "HomeNet", "passphraseFile": "/none/psk"}}],
            "mqtt": {"host": "broker", "tls": {"ca": "/none/ca.pem", "certificate": "/", "key": "/none/key"}},
            "notify": [{"type": "webhook", "url": "http://anna:secret@example.org/"}],
            "web": {"listen": "127.0.0.1:80"}, "metrics": {"listen": "0.0.0.0:80"}}
            """
        guard let configuration = try? Configuration(json: Array(json.utf8), file: "beacons.json") else { return [] }
        return ConfigurationCheck(
            configuration, account: ServiceAccount(user: 1000, groups: [], isOwn: true), firstPort: 1024,
            mayUseAllPorts: false
        ).remarks
    }

    private static let serviceFailures: [ServiceControl.Failure] = [
        .init(command: "systemctl restart okaeri", reason: "Unit okaeri.service is masked.", journal: nil),
        .init(command: nil, reason: "there is no listener", journal: "hci0 is gone"),
    ]

    private static let statuses: [StatusReport] = {
        var (one, away, other) = (statusReport(), statusReport(), statusReport())
        one.configuration = .init(
            file: "/etc/okaeri/beacons.json", time: "07:31",
            problem: "beacons.json: regions: found 1, expected an array",
            restart: [.init(key: "history.keep", reason: "no event is recorded until then")])
        one.listeners = [
            .init(name: "web", address: "127.0.0.1:8080", refused: "192.168.1.2:80 cannot be opened: no such address")
        ]
        away.mqtt = .init(connected: false, reason: "nothing listens at mqtt.lan:1883", since: "07:31")
        other.mqtt = .init(
            connected: true, reason: "connected to the MQTT broker at mqtt.lan:1883", since: "07:31",
            lastError: "nothing listens at mqtt.lan:1883", lastErrorTime: "07:30")
        other.notifications = [.sample(problem: nil), .sample(problem: "the server answers 404")]
        return [one, away, other]
    }()

    private static var findings: [Finding] {
        [.failure(KernelError(.listAdapters, code: EPERM)), .success([])].flatMap { adapters in
            Doctor.adapterFindings(adapters, named: nil)
        }
            + [
                Adapter(index: 0, name: "hci0", isUp: true, hasLowEnergy: false),
                Adapter(index: 0, name: "hci0", isUp: false),
                Adapter(index: 0, name: "hci0", isUp: false, radioBlock: .soft),
                Adapter(index: 0, name: "hci0", isUp: false, radioBlock: .hard),
            ].flatMap { Doctor.adapterFindings(.success([$0]), named: nil) }
            + Doctor.adapterFindings(.success([Adapter(index: 0, name: "hci0", isUp: true)]), named: "hci1")
            + [true, false, nil].flatMap(Doctor.permissionFindings)
            + [
                .notPermitted(socket: "/run/okaeri/okaeri.sock"), .noDaemon(socket: "/run/okaeri/okaeri.sock"),
                .noAnswer(socket: "/run/okaeri/okaeri.sock", reason: "it closed the connection"),
            ].map { Doctor.access($0) }
            + statuses.flatMap { Doctor.findings($0, besides: []) }
            + [Doctor.beacon(nil), Doctor.beacon(statusReport(regionReport("home", .outside)))]
    }
}

extension NotificationReport {
    fileprivate static func sample(problem: String?) -> NotificationReport {
        var report = NotificationReport(target: "notify[0]", type: "ntfy", address: "https://ntfy.sh")
        report.problem = problem
        return report
    }
}
