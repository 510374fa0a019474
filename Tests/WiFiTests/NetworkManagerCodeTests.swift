import Foundation
import OkaeriWiFi
import Testing

@testable import OkaeriNetworkManager

extension NetworkManagerTests {
    /// Every code of a failed join, produced through libnm and documented.
    @Suite struct Codes {
        private typealias Air = NetworkManagerBench.Air

        private static let documentation = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../docs/wifi.md")

        @Test(arguments: JoinFailure.Code.allCases)
        func `every failure code is produced through libnm, with what to do about it`(code: JoinFailure.Code)
            async throws
        {
            let isBare = [.noNetworkManager, .noWiFiDevice, .deviceNotManaged, .noSupplicant].contains(code)
            let bench = try await NetworkManagerBench(radio: !isBare)
            let limits = code == .timedOut ? NetworkManagerService.Limits(join: .milliseconds(300)) : .init()
            let service = NetworkManagerService(address: bench.address, limits: limits)
            let file = try TemporaryFile("correct horse\n")
            let network = try HomeNetwork(
                ssid: "Home", join: .auto, passphraseFile: passphraseFile(for: code, file.path))
            try await prepare(code, bench)
            let result = try await withRunning(service) {
                if [.connectedElsewhere, .connectedToTwin, .userLoggedIn].contains(code) {
                    _ = await service.state { $0.connectedSSID != nil }
                }
                let action: NetworkAction =
                    code == .noHotspotProfile ? .hotspot : code == .userLoggedIn ? .leave : .join
                return await service.carryOut(action, network, consent: [])
            }
            guard case .failure(let failure) = result else { throw Unexpected.success }
            #expect(failure.code == code)
            #expect(failure.description.contains(";"), "what happened; what to do")
        }

        @Test func `every code is documented`() throws {
            let text = try String(contentsOf: Self.documentation, encoding: .utf8)
            for code in JoinFailure.Code.allCases { #expect(text.contains("`\(code.rawValue)`")) }
            for code in InternetAccess.Limitation.allCases { #expect(text.contains("`\(code.rawValue)`")) }
        }

        private enum Unexpected: Error { case success }

        private func passphraseFile(for code: JoinFailure.Code, _ path: String) -> String? {
            switch code {
            case .savedProfileUnsecured, .noCredentials, .secretUnavailable: nil
            case .passphraseFile: path + ".missing"
            default: path
            }
        }

        /// Brings about the failure. The switch has no default: a new code does not compile until it can be produced.
        private func prepare(_ code: JoinFailure.Code, _ bench: NetworkManagerBench) async throws {
            let radio = NetworkManagerBench.radio
            switch code {
            case .noNetworkManager, .notInSight: break
            case .noWiFiDevice: try await bench.start()
            case .deviceNotManaged:
                try await bench.start()
                try bench.call("AddRadio", "wlan7", 10)
            case .noSupplicant:
                try await bench.start()
                try bench.call("AddRadio", "wlan7", 20)
            case .firmwareMissing:
                try bench.call("SetDeviceState", radio, 20)
                try bench.call("SetFirmwareMissing", radio)
            case .networkingOff: try bench.call("SetNetworking", false)
            case .radioOff: try bench.call("SetRadio", false, true)
            case .hardwareSwitchOff: try bench.call("SetRadio", false, false)
            case .servesHotspot: try bench.call("Serve", radio, "Kitchen")
            case .connectedElsewhere:
                try bench.hear("Home")
                try bench.call("Connect", radio, bench.save("Office"), bench.hear("Office"))
            case .connectedToTwin:
                try bench.hear("Home")
                try bench.call(
                    "Connect", radio, bench.save("Home", security: ""), bench.hear("Home", flags: 0, rsn: 0))
            case .noHotspotProfile: break
            case .userLoggedIn:
                try bench.call("Connect", radio, bench.save("Home"), bench.hear("Home"))
                try bench.call("SetAddress", radio, "127.0.7.8")
                try bench.call("LogIn", "127.0.7.8", true, "127.0.7.8")
            case .onlyUnsecuredInSight: try bench.hear("Home", flags: 0, rsn: 0)
            case .mixedSecurityInSight:
                try bench.hear("Home")
                try bench.hear("Home", rsn: Air.sae)
            case .savedProfileUnsecured:
                try bench.hear("Home")
                try bench.save("Home", security: "")
            case .noCredentials, .passphraseFile: try bench.hear("Home")
            case .enterpriseNeedsProfile: try bench.hear("Home", rsn: Air.enterprise)
            case .wrongPassphrase: try fail(bench, "noSecrets")
            case .handshakeFailed: try fail(bench, "noSecrets", strength: 18)
            case .secretUnavailable:
                try bench.save("Home", security: #"{"key-mgmt": "wpa-psk", "psk-flags": 1}"#)
                try fail(bench, "noSecrets")
            case .noPermission: try fail(bench, "denied")
            case .noAddress: try fail(bench, "noAddress")
            case .timedOut: try fail(bench, "hangs")
            case .interrupted: try fail(bench, "managerStops")
            case .refused: try fail(bench, "refused")
            case .other: try fail(bench, "firmwareMissing")
            }
        }

        private func fail(_ bench: NetworkManagerBench, _ outcome: String, strength: Int = 50) throws {
            try bench.hear("Home", strength: strength)
            try bench.call("SetOutcome", outcome)
        }
    }
}
