import OkaeriTestSupport
import OkaeriWiFi
import Testing

@testable import OkaeriNetworkManager

extension NetworkManagerTests {
    /// Joins that recover, and circumstances in which none is needed.
    @Suite struct Recovery {
        private typealias Air = NetworkManagerBench.Air

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

        @Test func `a profile whose handshake fails is followed by the next one, and by the passphrase file`()
            async throws
        {
            try bench.hear("Home", strength: 85)
            let profiles = try [bench.save("Home", lastUse: 100), bench.save("Home", lastUse: 200)]
            try bench.call("SetOutcome", "noSecrets,noSecrets,activated")
            let joined = JoinedNetwork(ssid: "Home", device: "wlan0", credentials: .passphraseFile)
            #expect(try await withRunning(service) { await service.join(home) } == .success(joined))
            let report = try bench.report()
            #expect(report.activated.map(\.profile).dropLast() == [profiles[1], profiles[0]])
            #expect(report.added.map(\.security.psk) == ["correct horse"])
        }

        @Test func `without a passphrase file that helps, the failure of the profile used last is reported`()
            async throws
        {
            try bench.hear("Home", strength: 85)
            try bench.save("Home", lastUse: 1_795_000_000)
            try bench.save("Home", lastUse: 0)
            try bench.call("SetOutcome", "noSecrets")
            let network = try HomeNetwork(ssid: "Home")
            let expected = JoinFailure.handshakeFailed(
                ssid: "Home", strength: 85, profile: "Home", lastConnected: "2026-11-18")
            #expect(
                try await withRunning(service) { await service.join(network) } == .failure(expected))
            #expect(try bench.report().activated.count == 2)
        }

        @Test func `at a weak signal other credentials are not tried`() async throws {
            try bench.hear("Home", strength: 18)
            try bench.save("Home")
            try bench.call("SetOutcome", "noSecrets,activated")
            #expect(try await withRunning(service) { await service.failureCode(joining: home) } == "handshakeFailed")
            #expect(try bench.report().added.isEmpty)
        }

        @Test func `a profile that was made from the passphrase file is brought up to date`() async throws {
            let accessPoint = try bench.hear("Home", strength: 85)
            let (service, home, file) = (service, home, file)
            try await withRunning(service) {
                _ = try await service.join(home).get()
                let profile = try #require(try bench.report().activated.first?.profile)
                try bench.call("Disconnect", NetworkManagerBench.radio)
                _ = await service.state { $0.connectedSSID == nil }
                // The passphrase of the router and the file were changed.
                try file.write("another horse\n")
                try bench.call("SetOutcome", "noSecrets,activated")
                _ = try await service.join(home).get()
                let report = try bench.report()
                #expect(report.updated.map(\.security.psk) == ["another horse"])
                #expect(report.added.count == 1 && report.profiles == ["Home"])
                #expect(report.activated.map(\.profile) == [profile, profile, profile])
                #expect(report.activated.last?.accessPoint == accessPoint)
            }
        }

        @Test func `an adapter that may have failed with WPA3 is named`() async throws {
            try bench.hear("Home", rsn: Air.psk | Air.sae, strength: 85)
            try bench.save("Home")
            try bench.call("SetOutcome", "supplicantTimeout")
            let network = try HomeNetwork(ssid: "Home")
            guard case .failure(let failure) = try await withRunning(service, { await service.join(network) }) else {
                Issue.record("joined")
                return
            }
            #expect(
                failure.description.contains("driver dbusmock") && failure.description.contains("wifi-sec.pmf disable"))
        }

        @Test func `the signals of a network that was asked about are part of the state`() async throws {
            let (service, home) = (service, home)
            try await withRunning(service) {
                #expect(await service.failureCode(of: home) == "notInSight")
                let accessPoint = try bench.hear("Home", strength: 12)
                #expect(await service.state { $0.reception == ["Home": 10] } != nil)
                try bench.hear("Office", strength: 90)
                try bench.call("SetStrength", accessPoint, 75)
                #expect(await service.state { $0.reception == ["Home": 70] } != nil)
                try bench.call("Lose", NetworkManagerBench.radio, accessPoint)
                #expect(await service.state { $0.reception.isEmpty } != nil)
            }
        }

        @Test func `a connection that has begun is not a reason for a question, and completes a join`() async throws {
            let accessPoint = try bench.hear("Home")
            let profile = try bench.save("Home")
            let (service, home) = (service, home)
            try await withRunning(service) {
                _ = await service.state(where: \.managerRunning)
                try bench.call("RequestAddress", NetworkManagerBench.radio, profile, accessPoint)
                _ = await service.state(where: \.activating)
                #expect(await service.condition(of: home) == .connecting)
                async let joined = service.join(home)
                try bench.call("Complete", NetworkManagerBench.radio)
                #expect(await joined == .success(JoinedNetwork(ssid: "Home", device: "wlan0", credentials: nil)))
            }
        }

        @Test func `another connection is part of the condition while it reaches the Internet`() async throws {
            try bench.hear("Home")
            try bench.save("Home")
            let (service, home) = (service, home)
            try await withRunning(service) {
                try bench.call("Plug", "eth0")
                try bench.call("SetOnline", 4)
                _ = await service.state { $0.otherConnection == .ethernet }
                #expect(
                    await service.condition(of: home)
                        == .ready(JoinReadiness(credentials: .savedProfile, strength: 50, otherConnection: .ethernet)))
                try bench.call("SetOnline", 1)
                #expect(await service.state { $0.otherConnection == nil } != nil)
            }
        }

        @Test func `a connection that a user ended is part of the condition`() async throws {
            try bench.hear("Home")
            try bench.save("Home")
            let (service, home) = (service, home)
            try await withRunning(service) {
                _ = try await service.join(home).get()
                try bench.call("Disconnect", NetworkManagerBench.radio)
                let ended = JoinReadiness(credentials: .savedProfile, strength: 50, isDisconnectedByUser: true)
                try await eventually("the connection has ended") { await service.condition(of: home) == .ready(ended) }
            }
        }

        @Test func `Wi-Fi is switched on for a join that asks for it, if the user may`() async throws {
            try bench.hear("Home")
            try bench.save("Home")
            try bench.call("SetRadio", false, true)
            let (service, home) = (service, home)
            try await withRunning(service) {
                #expect(await service.condition(of: home) == .unavailable(.radioOff))
                try bench.call("SetPermission", "enable-disable-wifi", "yes")
                try await eventually("it may be switched on") { await service.condition(of: home) == .switchedOff() }
                #expect(await service.failureCode(joining: home) == "radioOff")
                #expect(!service.state.radioEnabled)
                _ = try await service.join(home, consent: .switchOn).get()
                #expect(service.state.radioEnabled)
            }
        }

        @Test func `an unprotected network of the same name is shown, and left after a question alone`() async throws {
            try bench.hear("Home")
            try bench.save("Home")
            let twin = try bench.hear("Home", flags: 0, rsn: 0, strength: 90)
            let profile = try bench.save("Home", security: "")
            let (service, home) = (service, home)
            try await withRunning(service) {
                _ = await service.state(where: \.managerRunning)
                try bench.call("Connect", NetworkManagerBench.radio, profile, twin)
                #expect(await service.state { $0.weakSecurity == .open } != nil)
                let readiness = JoinReadiness(credentials: .savedProfile, strength: 50, replacesWeakTwin: true)
                #expect(await service.condition(of: home) == .ready(readiness))
                let auto = try HomeNetwork(ssid: "Home", join: .auto)
                let failure = JoinFailure.connectedToTwin(ssid: "Home", device: "wlan0", security: .open)
                #expect(await service.condition(of: auto) == .unavailable(failure))
            }
        }

        @Test(arguments: [
            (#"{"connection": {"interface-name": "wlan9"}}"#, ProfileMisfit.Setting.interface("wlan9")),
            (#"{"802-11-wireless": {"bssid": "02:00:00:00:77:00"}}"#, .accessPoint("02:00:00:00:77:00")),
            (#"{"802-11-wireless": {"band": "a"}}"#, .band("a")),
        ])
        func `a profile that does not fit is named with its reason`(
            settings: String, setting: ProfileMisfit.Setting
        ) async throws {
            try bench.hear("Home")
            try bench.call("SaveWith", NetworkManagerBench.radio, "Home", settings)
            let network = try HomeNetwork(ssid: "Home")
            let misfit = ProfileMisfit(profile: "Home", setting: setting)
            #expect(
                try await withRunning(service) { await service.condition(of: network) }
                    == .unavailable(.noCredentials(ssid: "Home", misfit: misfit)))
        }
    }
}
