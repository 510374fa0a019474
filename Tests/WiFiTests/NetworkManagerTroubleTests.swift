import OkaeriTestSupport
import OkaeriWiFi
import Testing

@testable import OkaeriNetworkManager

extension NetworkManagerTests {
    /// The result of a join that meets an obstacle on the way.
    @Suite struct Trouble {
        private let bench: NetworkManagerBench
        private let service: NetworkManagerService
        private let file: TemporaryFile
        private let home: HomeNetwork

        init() async throws {
            bench = try await NetworkManagerBench()
            service = NetworkManagerService(address: bench.address)
            file = try TemporaryFile("correct horse\n")
            home = try HomeNetwork(ssid: "Home", passphraseFile: file.path)
        }

        /// A service whose limit for the way to an address is short.
        private var hurried: NetworkManagerService {
            NetworkManagerService(
                address: bench.address, limits: .init(join: .milliseconds(300), addressMargin: .milliseconds(100)))
        }

        @Test func `an address that comes after the limit of the handshake completes the join`() async throws {
            try bench.hear("Home")
            try bench.call("SetOutcome", "addressLate")
            let service = hurried
            let joined = JoinedNetwork(ssid: "Home", device: "wlan0", credentials: .passphraseFile)
            #expect(try await withRunning(service) { await service.join(home) } == .success(joined))
            #expect(try bench.report().profiles == ["Home"])
        }

        @Test func `a network that gives no address within the profile's limit is reported as such`() async throws {
            try bench.hear("Home")
            try bench.save("Home")
            try bench.call("SetOutcome", "addressNever")
            let service = hurried
            #expect(try await withRunning(service) { await service.failureCode(joining: home) } == "noAddress")
        }

        @Test func `the time that a scan takes does not count against the limit of the join`() async throws {
            try bench.call("SetScanDelay", 700)
            try bench.call("Await", "Home", 1, 0, NetworkManagerBench.Air.psk, 40, false)
            let service = hurried
            #expect(try await withRunning(service) { await service.failureCode(joining: home) } == nil)
        }

        @Test func `the service stops while an address is requested: the new profile stays`() async throws {
            try bench.hear("Home")
            try bench.call("SetOutcome", "addressNever")
            let code = try await withRunning(service) { [service, home] in
                async let code = service.failureCode(joining: home)
                let device = NetworkManagerBench.radio
                try await eventually("an address is requested") { try bench.call("DeviceState", device) == "70" }
                service.stop()
                return await code
            }
            #expect(code == "interrupted")
            #expect(try bench.report().profiles == ["Home"])
        }

        @Test func `the failure of another activation during the request is not reported as ours`() async throws {
            try bench.hear("Home")
            try bench.call("SetIntruder", true)
            #expect(try await withRunning(service) { await service.failureCode(joining: home) } == nil)
            #expect(try bench.report().profiles == ["Home"])
        }

        @Test(arguments: [
            (lastUse: 1, strength: 70, outcome: "noSecrets", code: "handshakeFailed"),
            (lastUse: 1, strength: 70, outcome: "supplicantTimeout", code: "handshakeFailed"),
            (lastUse: 0, strength: 18, outcome: "noSecrets", code: "handshakeFailed"),
            (lastUse: 0, strength: 18, outcome: "supplicantTimeout", code: "handshakeFailed"),
            (lastUse: 0, strength: 70, outcome: "noSecrets", code: "wrongPassphrase"),
        ])
        func `a failed handshake with a proven profile or at a weak signal is not reported as a wrong passphrase`(
            lastUse: Int, strength: Int, outcome: String, code: String
        ) async throws {
            try bench.hear("Home", strength: strength)
            try bench.save("Home", lastUse: lastUse)
            try bench.call("SetOutcome", outcome)
            let network = try HomeNetwork(ssid: "Home")
            #expect(try await withRunning(service) { await service.failureCode(joining: network) } == code)
        }

        @Test func `a new profile that fails at a weak signal is not reported as a wrong passphrase`() async throws {
            try bench.hear("Home", strength: 18)
            try bench.call("SetOutcome", "supplicantTimeout")
            #expect(try await withRunning(service) { await service.failureCode(joining: home) } == "handshakeFailed")
            #expect(try bench.report().profiles.isEmpty)
        }

        @Test func `the state of the Wi-Fi contains what limits the access to the Internet`() async throws {
            try bench.hear("Home")
            try await withRunning(service) {
                #expect(await service.failureCode(joining: home) == nil)
                for (connectivity, internet) in [
                    (2, InternetAccess.portal(address: "http://check.example")), (3, .limited), (4, .full),
                ] {
                    try bench.call("SetConnectivity", NetworkManagerBench.radio, connectivity)
                    #expect(await service.state { $0.internet == internet } != nil)
                }
            }
        }

        @Test(arguments: [(call: "RequestAddress", state: "70"), (call: "Connect", state: "100")])
        func
            `a profile that could not be deleted after a failed join stays if it connects later or requests an address`(
                call: String, state: String
            ) async throws
        {
            let accessPoint = try bench.hear("Home")
            try bench.call("SetOutcome", "noSecrets")
            try bench.call("SetRefusesDeletion", true)
            try await withRunning(service) {
                #expect(await service.failureCode(joining: home) == "wrongPassphrase")
                let profile = try #require(try bench.report().activated.first?.profile)
                try bench.call(call, NetworkManagerBench.radio, profile, accessPoint)
                try await eventually("the device is in state \(state)") {
                    try bench.call("DeviceState", NetworkManagerBench.radio) == state
                }
                try bench.call("SetRefusesDeletion", false)
                // The service handles one change after the other.
                for isEnabled in [false, true] {
                    try bench.call("SetRadio", isEnabled, true)
                    _ = await service.state { $0.radioEnabled == isEnabled }
                }
                #expect(try bench.report().profiles == ["Home"])
                #expect(try bench.call("DeviceState", NetworkManagerBench.radio) == state)
            }
        }

        @Test func `a join that waits for another one has its whole limit afterwards`() async throws {
            try bench.hear("Home")
            try bench.save("Home")
            try bench.call("SetOutcome", "addressNever,activated")
            let (service, home) = (hurried, home)
            try await withRunning(service) {
                async let first = service.failureCode(joining: home)
                _ = await service.state(where: \.activating)
                let second = await service.failureCode(joining: home)
                #expect(await first == "noAddress")
                #expect(second == nil)
            }
        }

        /// A profile whose passphrase is in the keyring of a user's session.
        private static let ofSession = #"{"key-mgmt": "wpa-psk", "psk-flags": 1}"#

        @Test
        func `the passphrase file is used if the passphrase of the saved profile is not available`() async throws {
            try bench.hear("Home")
            try bench.save("Home", security: Self.ofSession)
            try bench.call("SetOutcome", "noSecrets,activated")
            let joined = JoinedNetwork(ssid: "Home", device: "wlan0", credentials: .passphraseFile)
            #expect(try await withRunning(service) { await service.join(home) } == .success(joined))
            #expect(try bench.report().added.map(\.security.psk) == ["correct horse"])
            #expect(try bench.report().profiles == ["Home", "Home"])
        }

        @Test
        func `without a passphrase file, a saved profile whose passphrase is not available is named`() async throws {
            try bench.hear("Home")
            try bench.save("Home", security: Self.ofSession)
            try bench.call("SetOutcome", "noSecrets")
            let network = try HomeNetwork(ssid: "Home")
            #expect(
                try await withRunning(service) { await service.failureCode(joining: network) } == "secretUnavailable")
        }
    }
}
