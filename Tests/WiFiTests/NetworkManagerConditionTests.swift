import OkaeriPlumbing
import OkaeriWiFi
import Testing

@testable import OkaeriNetworkManager

extension NetworkManagerTests {
    @Suite struct Condition {
        private typealias Air = NetworkManagerBench.Air

        private let bench: NetworkManagerBench
        private let service: NetworkManagerService
        private let home: HomeNetwork

        init() async throws {
            bench = try await NetworkManagerBench()
            service = NetworkManagerService(address: bench.address)
            home = try HomeNetwork(ssid: "Home")
        }

        private func condition(of network: HomeNetwork? = nil) async throws -> NetworkCondition {
            try await withRunning(service) { await service.conditionAtFullSignal(of: network ?? home) }
        }

        @Test func `a saved profile and its access point are ready`() async throws {
            try bench.hear("Home")
            try bench.save("Home")
            #expect(try await condition() == .ready(via: .savedProfile))
            #expect(try bench.report().scans.isEmpty)
        }

        @Test func `the networks in range are listed after a scan`() async throws {
            try bench.hear("Home", strength: 40)
            try bench.hear("Home", flags: 0, rsn: 0, strength: 90)
            try bench.hear("Café", flags: 0, rsn: 0, strength: 70)
            try bench.hear("", strength: 99)
            let networks = try await withRunning(service) { await service.networks() }
            #expect(
                try networks.get() == [
                    VisibleNetwork(ssid: "Café", strength: 70, security: .weak(.open)),
                    VisibleNetwork(ssid: "Home", strength: 40, security: .robust(.psk)),
                ])
            #expect(try bench.report().scans.count == 1)
        }

        @Test func `no networks are listed while Wi-Fi is off`() async throws {
            try bench.call("SetRadio", false, true)
            let networks = try await withRunning(service) { await service.networks() }
            #expect(networks == .failure(.radioOff))
        }

        @Test func `a radio that is off is reported`() async throws {
            try bench.hear("Home")
            try bench.save("Home")
            try bench.call("SetRadio", false, true)
            #expect(try await condition() == .unavailable(.radioOff))
        }

        @Test func `a hardware switch that is off is reported`() async throws {
            try bench.call("SetRadio", false, false)
            #expect(try await condition() == .unavailable(.hardwareSwitchOff))
        }

        @Test func `a device that NetworkManager does not manage is reported`() async throws {
            let bench = try await NetworkManagerBench(radio: false)
            try await bench.start()
            try bench.call("AddRadio", "wlan7", 10)
            let service = NetworkManagerService(address: bench.address)
            let condition = try await withRunning(service) { await service.conditionAtFullSignal(of: home) }
            #expect(condition == .unavailable(.deviceNotManaged(device: "wlan7")))
        }

        @Test func `the service waits for a device that is becoming available`() async throws {
            let bench = try await NetworkManagerBench(radio: false)
            try await bench.start()
            let unavailable = 20
            try bench.call("AddRadio", "wlan0", unavailable)
            try bench.hear("Home")
            try bench.save("Home")
            try bench.call("SetRadio", true, true)
            let (service, network) = (NetworkManagerService(address: bench.address), home)
            try await withRunning(service) {
                let early = await service.state { $0.radioEnabled && $0.device != nil }
                #expect(early?.deviceReady == false)
                async let condition = service.conditionAtFullSignal(of: network)
                let disconnected = 30
                try bench.call("SetDeviceState", NetworkManagerBench.radio, disconnected)
                #expect(await service.state { $0.deviceReady } != nil)
                #expect(await condition == .ready(via: .savedProfile))
            }
        }

        @Test func `a missing device is reported`() async throws {
            let bench = try await NetworkManagerBench(radio: false)
            try await bench.start()
            let service = NetworkManagerService(address: bench.address)
            let condition = try await withRunning(service) { await service.conditionAtFullSignal(of: home) }
            #expect(condition == .unavailable(.noWiFiDevice))
        }

        @Test func `a bus without NetworkManager is reported`() async throws {
            let bench = try await NetworkManagerBench(radio: false)
            let service = NetworkManagerService(address: bench.address)
            let condition = try await withRunning(service) { await service.conditionAtFullSignal(of: home) }
            #expect(condition == .unavailable(.noNetworkManager))
        }

        @Test func `a missing bus is reported`() async throws {
            let service = NetworkManagerService(address: "unix:path=/nonexistent/bus")
            let condition = try await withRunning(service) { await service.conditionAtFullSignal(of: home) }
            #expect(condition == .unavailable(.noNetworkManager))
            #expect(service.state == WiFiState())
        }

        @Test func `a service that does not run reports no NetworkManager`() async throws {
            let service = NetworkManagerService(address: bench.address, limits: .init(start: .milliseconds(10)))
            #expect(await service.conditionAtFullSignal(of: home) == .unavailable(.noNetworkManager))
            #expect(await service.join(home) == .failure(.noNetworkManager))
        }

        @Test func `a network that a directed scan does not find is reported`() async throws {
            try bench.hear("Neighbour")
            // The same letters, other bytes: names are compared as they are sent.
            try bench.hear("home")
            #expect(try await condition() == .unavailable(.notInSight(ssid: "Home")))
            #expect(try bench.report().scans == [[], ["Home"]])
        }

        @Test func `the service does not wait for a device that cannot scan`() async throws {
            let unavailable = 20
            try bench.call("AddRadio", "wlan7", unavailable)
            #expect(try await condition() == .unavailable(.notInSight(ssid: "Home")))
            #expect(try bench.report().scans == [[], ["Home"]])
        }

        @Test func `a hidden network is found`() async throws {
            try bench.call("Await", "Home", 1, 0, Air.psk, 40, true)
            try bench.save("Home")
            #expect(try await condition() == .ready(via: .savedProfile))
        }

        @Test(
            arguments: [
                (flags: 0, wpa: 0, rsn: 0, seen: WeakSecurity.open),
                (flags: 1, wpa: 0, rsn: 0, seen: .wep),
                (flags: 1, wpa: Air.tkip, rsn: 0, seen: .wpa),
                (flags: 0, wpa: 0, rsn: 0x800 | 0x8, seen: .enhancedOpen),
            ] as [(flags: UInt32, wpa: UInt32, rsn: UInt32, seen: WeakSecurity)])
        func `a weak network of the same name alone is refused`(
            flags: UInt32, wpa: UInt32, rsn: UInt32, seen: WeakSecurity
        ) async throws {
            try bench.hear("Home", flags: flags, wpa: wpa, rsn: rsn, strength: 99)
            try bench.save("Home")
            #expect(try await condition() == .unavailable(.onlyUnsecuredInSight(ssid: "Home", seen: seen)))
        }

        @Test func `an open network of the same name that was received first does not hide the home network`()
            async throws
        {
            try bench.hear("Home", flags: 0, rsn: 0, strength: 90)
            try bench.call("Await", "Home", 1, 0, NetworkManagerBench.Air.psk, 40, false)
            try bench.save("Home")
            #expect(try await condition() == .ready(via: .savedProfile))
        }

        /// The access point is good; the profile would join something else as well, or nothing.
        @Test(arguments: [
            ("", WeakSecurity.open),
            (#"{"key-mgmt": "none"}"#, .wep),
            (#"{"key-mgmt": "ieee8021x"}"#, .wep),
            (#"{"key-mgmt": "owe"}"#, .enhancedOpen),
            (#"{"key-mgmt": "wpa-psk", "proto": ["wpa"]}"#, .wpa),
            (#"{"key-mgmt": "wpa-psk", "pairwise": ["tkip"]}"#, .wpa),
        ])
        func `a weak profile is refused`(profile: String, security: WeakSecurity) async throws {
            try bench.hear("Home", wpa: Air.tkip, rsn: Air.psk | 0x4)
            try bench.save("Home", security: profile)
            let failure = JoinFailure.savedProfileUnsecured(profile: "Home", security: security)
            #expect(try await condition() == .unavailable(failure))
        }

        /// A profile fits an access point only by a way to agree on a key that both have under WPA2 or WPA3.
        @Test(arguments: [
            ("wpa-psk", Air.psk, true),
            ("wpa-psk", Air.psk | Air.sae, true),
            ("wpa-psk", Air.enterprise, false),
            ("sae", Air.sae, true),
            ("sae", Air.psk, false),
            ("wpa-eap", Air.enterprise, true),
            ("wpa-eap", Air.psk, false),
        ])
        func `a profile has to fit the access point`(keyManagement: String, rsn: UInt32, fits: Bool) async throws {
            try bench.hear("Home", wpa: Air.tkip | Air.enterprise, rsn: rsn)
            try bench.save("Home", security: #"{"key-mgmt": "\#(keyManagement)"}"#)
            let isReady = try await condition() == .ready(via: .savedProfile)
            #expect(isReady == fits)
        }

        @Test func `an enterprise network needs a profile`() async throws {
            try bench.hear("Home", rsn: Air.enterprise)
            #expect(try await condition() == .unavailable(.enterpriseNeedsProfile(ssid: "Home")))
        }

        @Test func `missing credentials are reported`() async throws {
            try bench.hear("Home")
            #expect(try await condition() == .unavailable(.noCredentials(ssid: "Home")))
        }

        @Test func `a passphrase file is ready, or its problem is reported`() async throws {
            let good = try TemporaryFile("correct horse")
            let open = try TemporaryFile("correct horse", mode: 0o644)
            try bench.hear("Home")
            let ready = try HomeNetwork(ssid: "Home", passphraseFile: good.path)
            let refused = try HomeNetwork(ssid: "Home", passphraseFile: open.path)
            let conditions = try await withRunning(service) {
                (await service.conditionAtFullSignal(of: ready), await service.conditionAtFullSignal(of: refused))
            }
            #expect(conditions.0 == .ready(via: .passphraseFile))
            #expect(
                conditions.1
                    == .unavailable(
                        .passphraseFile(PassphraseFileError(path: open.path, problem: .file(.open(mode: 0o644))))))
        }

        private func home(_ security: PersonalSecurity?, _ file: TemporaryFile) throws -> HomeNetwork {
            try HomeNetwork(ssid: "Home", passphraseFile: file.path, security: security)
        }

        private static let downgraded = NetworkCondition.unavailable(
            .onlyUnsecuredInSight(ssid: "Home", seen: .wpa2))

        @Test func `a network that had WPA3 is not joined with WPA2, unless the configuration says so`() async throws {
            let file = try TemporaryFile("correct horse")
            try bench.hear("Home", strength: 99)
            #expect(try await condition(of: home(nil, file)) == .ready(via: .passphraseFile), "WPA2 from the beginning")
            let again = NetworkManagerService(address: bench.address)
            try bench.save("Home", security: #"{"key-mgmt": "sae"}"#)
            let (plain, named) = (try home(nil, file), try home(.wpa2, file))
            let conditions = try await withRunning(again) {
                (await again.conditionAtFullSignal(of: plain), await again.conditionAtFullSignal(of: named))
            }
            #expect(conditions.0 == Self.downgraded)
            #expect(conditions.1 == .ready(via: .passphraseFile))
        }

        @Test func `security wpa3 takes neither an access point nor a profile that allows WPA2`() async throws {
            let file = try TemporaryFile("correct horse")
            try bench.hear("Home", strength: 99)
            try bench.save("Home", security: #"{"key-mgmt": "wpa-psk"}"#)
            #expect(try await condition(of: home(.wpa3, file)) == Self.downgraded)
            try bench.hear("Home", rsn: Air.psk | Air.sae, strength: 20)
            let again = NetworkManagerService(address: bench.address)
            let network = try home(.wpa3, file)
            let found = try await withRunning(again) { await again.conditionAtFullSignal(of: network) }
            #expect(found == .ready(via: .passphraseFile))
        }

        @Test
        func `with WPA3 set, a saved profile that allows WPA2 is named if there is no passphrase file`() async throws {
            try bench.hear("Home", rsn: Air.psk | Air.sae)
            try bench.save("Home", security: #"{"key-mgmt": "wpa-psk"}"#)
            let network = try HomeNetwork(ssid: "Home", security: .wpa3)
            let failure = JoinFailure.savedProfileUnsecured(profile: "Home", security: .wpa2)
            #expect(try await condition(of: network) == .unavailable(failure))
            #expect(failure.description.contains("“Home” allows WPA2, but \"security\" is \"wpa3\"; "))
        }

        @Test func `a raw key cannot be used for SAE`() async throws {
            let key = try TemporaryFile(String(repeating: "0f", count: 32))
            try bench.hear("Home", rsn: Air.sae)
            let network = try HomeNetwork(ssid: "Home", passphraseFile: key.path)
            let problem = PassphraseFileError(path: key.path, problem: .rawKeyForSAE)
            #expect(try await condition(of: network) == .unavailable(.passphraseFile(problem)))
        }

        @Test(arguments: [Air.psk, Air.psk | Air.sae], [true, false])
        func `a raw key is not reported as useless as long as an access point with WPA2 is in sight`(
            rsn: UInt32, isProven: Bool
        ) async throws {
            let key = try TemporaryFile(String(repeating: "0f", count: 32))
            if isProven { try bench.save("Home", security: #"{"key-mgmt": "sae", "psk-flags": 1}"#) }
            try bench.hear("Home", rsn: rsn, strength: 20)
            if !isProven { try bench.hear("Home", rsn: Air.sae, strength: 99) }
            let (unset, wpa2) = (
                try HomeNetwork(ssid: "Home", passphraseFile: key.path),
                try HomeNetwork(ssid: "Home", passphraseFile: key.path, security: .wpa2)
            )
            let conditions = try await withRunning(service) {
                (await service.conditionAtFullSignal(of: unset), await service.conditionAtFullSignal(of: wpa2))
            }
            guard !isProven else {
                // An access point with both is joined with the saved profile for SAE.
                let unset = rsn == Air.psk ? Self.downgraded : .ready(via: .savedProfile)
                #expect(conditions.0 == unset)
                #expect(conditions.1 == .ready(via: rsn == Air.psk ? .passphraseFile : .savedProfile))
                return
            }
            #expect(conditions.0 == .unavailable(.mixedSecurityInSight(ssid: "Home")))
            #expect(conditions.1 == .ready(via: .passphraseFile))
        }

        @Test(arguments: ["no", "auth"])
        func `a missing permission is reported`(result: String) async throws {
            try bench.hear("Home")
            try bench.save("Home")
            try bench.call("SetPermission", "network-control", result)
            #expect(try await condition() == .unavailable(.noPermission))
        }

        @Test func `a new profile needs more permission`() async throws {
            let file = try TemporaryFile("correct horse")
            try bench.hear("Home")
            try bench.call("SetPermission", "settings.modify.system", "auth")
            let network = try HomeNetwork(ssid: "Home", passphraseFile: file.path)
            #expect(try await condition(of: network) == .unavailable(.noPermission))
            try bench.save("Home")
            let again = NetworkManagerService(address: bench.address)
            let saved = try await withRunning(again) { await again.conditionAtFullSignal(of: network) }
            #expect(saved == .ready(via: .savedProfile))
        }

        @Test func `a network that is connected already is reported`() async throws {
            let accessPoint = try bench.hear("Home")
            let profile = try bench.save("Home")
            try await withRunning(service) {
                try bench.call("Connect", NetworkManagerBench.radio, profile, accessPoint)
                let state = await service.state { $0.connectedSSID != nil }
                #expect(
                    state
                        == WiFiState(
                            managerRunning: true, radioEnabled: true, hardwareEnabled: true, device: "wlan0",
                            deviceReady: true, connectedSSID: "Home", uses24GHz: true))
                #expect(await service.conditionAtFullSignal(of: home) == .alreadyConnected)
                #expect(
                    await service.join(home)
                        == .success(JoinedNetwork(ssid: "Home", device: "wlan0", credentials: nil)))
            }
            #expect(try bench.report().activated.isEmpty)
        }

        @Test func `a connection to an open network of the same name does not count`() async throws {
            let twin = try bench.hear("Home", flags: 0, rsn: 0)
            let profile = try bench.save("Home", security: "")
            try await withRunning(service) {
                try bench.call("Connect", NetworkManagerBench.radio, profile, twin)
                _ = await service.state { $0.connectedSSID != nil }
                #expect(
                    await service.conditionAtFullSignal(of: home)
                        == .unavailable(.onlyUnsecuredInSight(ssid: "Home", seen: .open)))
            }
        }
    }
}
