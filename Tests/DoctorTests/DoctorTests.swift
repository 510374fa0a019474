import TestSupport
import Bluetooth
import Testing
import WiFi

@testable import Client
@testable import Doctor
@testable import OkaeriConfiguration

@Suite struct DoctorTests {
    private func findings(_ adapters: [Adapter], named: String? = nil) -> [String] {
        Doctor.adapterFindings(.success(adapters), named: named).map {
            "\($0.verdict) \($0.finding) → \($0.mend ?? "")"
        }
    }

    @Test func `each state of the adapters has its finding and its mend`() {
        let up = Adapter(index: 0, name: "hci0", isUp: true)
        let down = Adapter(index: 1, name: "hci1", isUp: false)
        #expect(findings([down, up]) == ["ok hci0 is up → "])
        #expect(findings([up, down], named: "hci1").first?.contains("hci1 is down → bluetoothctl power on") == true)
        #expect(findings([up], named: "hci7").first?.hasPrefix("wrong there is no hci7, only hci0") == true)
        #expect(findings([]).first?.hasPrefix("wrong there is none") == true)
        let soft = Adapter(index: 0, name: "hci0", isUp: false, radioBlock: .soft)
        #expect(findings([soft]).first?.hasSuffix("rfkill unblock bluetooth") == true)
        let hard = Adapter(index: 0, name: "hci0", isUp: false, radioBlock: .hard)
        #expect(findings([hard]).first?.contains("hardware switch") == true)
    }

    @Test func `a missing capability has the command that grants it`() {
        #expect(Doctor.permissionFindings(mayScan: true).map(\.verdict) == [.ok])
        #expect(Doctor.permissionFindings(mayScan: false).first?.mend?.contains("setcap") == true)
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
        #expect(await doctor.networkFindings(off).map(\.verdict) == [.ok, .wrong])
    }
}
