import Bluetooth
import Client
import DaemonTestSupport
import Glibc
import RegionMonitoring

@testable import OkaeriConfiguration
@testable import Setup

extension Messages {
    static var doctor: [Section] {
        [
            Section("Doctor", findings.filter { $0.verdict != .ok }.map { $0.text.replacing("\n        ", with: "") }),
            Section("ServiceControl.Failure", serviceFailures),
        ]
    }

    private static let serviceFailures: [ServiceControl.Failure] = [
        .init(command: "systemctl restart okaeri", reason: "Unit okaeri.service is masked.", journal: nil),
        .init(command: nil, reason: "there is no listener", journal: "hci0 is gone"),
    ]

    private static let findings: [Finding] =
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
        ].map { Doctor.access(.failure($0)) }
        + [Doctor.beacon(nil), Doctor.beacon(statusReport(regionReport("home", .outside)))]
}
