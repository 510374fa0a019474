import OkaeriWiFi
import Testing

@testable import OkaeriNetworkManager

/// Each test has a bus of its own; one after another, since each starts three processes.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct NetworkManagerTests {
    @Suite struct Join {
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

        private func join() async throws -> Result<JoinedNetwork, JoinFailure> {
            try await withRunning(service) { await service.join(home) }
        }

        @Test func `a saved profile joins at the strongest secured access point`() async throws {
            try bench.hear("Home", flags: 0, rsn: 0, strength: 99)
            try bench.hear("Home", wpa: Air.tkip, rsn: 0, strength: 90)
            try bench.hear("Home", strength: 30)
            let best = try bench.hear("Home", strength: 60)
            let profile = try bench.save("Home")
            #expect(
                try await join()
                    == .success(JoinedNetwork(ssid: "Home", device: "wlan0", credentials: .savedProfile)))
            let report = try bench.report()
            #expect(report.activated.map(\.accessPoint) == [best])
            #expect(report.activated.map(\.profile) == [profile])
            #expect(report.added.isEmpty)
        }

        @Test func `a saved enterprise profile joins`() async throws {
            try bench.hear("Home", rsn: Air.psk, strength: 90)
            let enterprise = try bench.hear("Home", rsn: Air.enterprise, strength: 30)
            try bench.save("Home", security: #"{"key-mgmt": "wpa-eap"}"#)
            _ = try await join()
            #expect(try bench.report().activated.map(\.accessPoint) == [enterprise])
        }

        @Test(arguments: [
            (rsn: Air.psk, keyManagement: "wpa-psk"),
            (rsn: Air.psk | Air.sae, keyManagement: "wpa-psk"),
            (rsn: Air.sae, keyManagement: "sae"),
        ])
        func `a new profile joins with the passphrase file`(rsn: UInt32, keyManagement: String) async throws {
            try bench.hear("Home", wpa: Air.tkip, rsn: rsn)
            #expect(
                try await join()
                    == .success(JoinedNetwork(ssid: "Home", device: "wlan0", credentials: .passphraseFile)))
            let report = try bench.report()
            let added = try #require(report.added.first)
            #expect(added.connection.id == "Home")
            #expect(added.connection.type == "802-11-wireless")
            #expect(added.wireless.ssid == "Home")
            #expect(added.wireless.hidden ?? false == false)
            #expect(added.security.keyManagement == keyManagement)
            #expect(added.security.psk == "correct horse")
            #expect(added.security.proto == ["rsn"])
            #expect(added.security.pairwise == ["ccmp"])
            #expect(report.profiles == ["Home"])
        }

        @Test func `a network that is joined once is left, and its new profile is deleted`() async throws {
            try bench.hear("Home")
            let once = try HomeNetwork(ssid: "Home", join: .once, passphraseFile: file.path)
            let left = JoinedNetwork(ssid: "Home", device: "wlan0", credentials: nil)
            try await withRunning(service) {
                #expect(await service.condition(of: once, for: .leave) == .alreadyConnected)
                let joined = JoinedNetwork(ssid: "Home", device: "wlan0", credentials: .passphraseFile)
                #expect(await service.join(once) == .success(joined))
                try #expect(bench.report().profiles == ["Home"])
                #expect(await service.condition(of: home, for: .leave) == .ready(JoinReadiness()))
                #expect(await service.condition(of: once, for: .leave) == .ready(JoinReadiness()))
                #expect(await service.carryOut(.leave, once, consent: []) == .success(left))
                try #expect(bench.report().profiles == [])
                #expect(await service.condition(of: once, for: .leave) == .alreadyConnected)
            }
        }

        @Test func `a profile of the user stays after a network was joined once`() async throws {
            try bench.hear("Home")
            try bench.save("Home")
            let once = try HomeNetwork(ssid: "Home", join: .once, passphraseFile: file.path)
            try await withRunning(service) {
                let joined = await service.join(once)
                #expect((try? joined.get())?.credentials == .savedProfile)
                #expect(await service.condition(of: once, for: .leave) == .alreadyConnected)
                try #expect(bench.report().profiles == ["Home"])
            }
        }

        @Test(arguments: [Air.sae, Air.sae | Air.psk])
        func `a stronger imitation with WPA2 gets no handshake of a network for which WPA3 is set`(rsn: UInt32)
            async throws
        {
            try bench.hear("Home", rsn: Air.psk, strength: 99)
            let own = try bench.hear("Home", rsn: rsn, strength: 30)
            let network = try HomeNetwork(ssid: "Home", passphraseFile: file.path, security: .wpa3)
            _ = try await withRunning(service) { await service.join(network) }
            let report = try bench.report()
            #expect(report.added.map(\.security.keyManagement) == ["sae"])
            #expect(report.activated.map(\.accessPoint) == [own])
        }

        @Test
        func `access points that differ in security lead to no profile and no handshake, and prove nothing later`()
            async throws
        {
            let psk = try bench.hear("Home", rsn: Air.psk, strength: 99)
            let sae = try bench.hear("Home", rsn: Air.sae, strength: 30)
            let (service, home) = (service, home)
            try await withRunning(service) {
                #expect(await service.join(home) == .failure(.mixedSecurityInSight(ssid: "Home")))
                #expect(try bench.report().profiles.isEmpty)
                try bench.call("Lose", NetworkManagerBench.radio, sae)
                // libnm reports the loss of the access point later.
                var joined = await service.join(home)
                while joined == .failure(.mixedSecurityInSight(ssid: "Home")) { joined = await service.join(home) }
                _ = try joined.get()
            }
            #expect(try bench.report().added.map(\.security.keyManagement) == ["wpa-psk"])
            #expect(try bench.report().activated.map(\.accessPoint) == [psk])
        }

        @Test
        func `with WPA2 set, an access point with WPA2 is joined before a stronger one with WPA3 alone`() async throws {
            try bench.hear("Home", rsn: Air.sae, strength: 99)
            let psk = try bench.hear("Home", rsn: Air.psk | Air.sae, strength: 30)
            let network = try HomeNetwork(ssid: "Home", passphraseFile: file.path, security: .wpa2)
            _ = try await withRunning(service) { try await service.join(network).get() }
            #expect(try bench.report().added.map(\.security.keyManagement) == ["wpa-psk"])
            #expect(try bench.report().activated.map(\.accessPoint) == [psk])
        }

        @Test func `a saved profile joins although the access points differ in security`() async throws {
            try bench.hear("Home", rsn: Air.sae, strength: 99)
            try bench.hear("Home", rsn: Air.psk, strength: 30)
            let profile = try bench.save("Home")
            _ = try await join().get()
            #expect(try bench.report().activated.map(\.profile) == [profile])
        }

        @Test(arguments: [true, false])
        func `a profile is hidden only if the network is`(isHidden: Bool) async throws {
            try bench.call("Await", "Home", 1, 0, Air.psk, 40, isHidden)
            _ = try await join().get()
            let report = try bench.report()
            #expect(report.added.map { $0.wireless.hidden ?? false } == [isHidden])
            #expect(report.scans == (isHidden ? [[], ["Home"]] : [[]]))
        }

        @Test(arguments: [
            ("noSecrets", JoinFailure.wrongPassphrase(ssid: "Home")),
            ("supplicantTimeout", .wrongPassphrase(ssid: "Home")),
            ("ssidNotFound", .notInSight(ssid: "Home")),
            ("managerStops", .interrupted),
            ("noAddress", .noAddress(ssid: "Home")),
            ("linkLost", .other(reason: 8, name: "supplicant-disconnect")),
            ("begunAnew", .other(reason: 8, name: "supplicant-disconnect")),
            ("firmwareMissing", .other(reason: 35, name: "firmware-missing")),
            ("userRequested", .other(reason: 39, name: "user-requested")),
            ("denied", .noPermission),
            ("refused", .refused(message: "no room")),
        ])
        func `a new profile that failed is deleted`(outcome: String, failure: JoinFailure) async throws {
            try bench.hear("Home")
            try bench.call("SetOutcome", outcome)
            #expect(try await join() == .failure(failure))
            #expect(try bench.report().profiles.isEmpty)
        }

        @Test(arguments: ["linkLost", "begunAnew"])
        func `a link that is lost after the passphrase was taken is tried once more`(outcome: String) async throws {
            try bench.hear("Home")
            try bench.call("SetOutcome", outcome + ",activated")
            let joined = JoinedNetwork(ssid: "Home", device: "wlan0", credentials: .passphraseFile)
            #expect(try await join() == .success(joined))
            #expect(try bench.report().added.count == 2)
            #expect(try bench.report().profiles == ["Home"])
        }

        @Test func `a saved profile that failed is kept`() async throws {
            try bench.hear("Home")
            try bench.save("Home", lastUse: 0)
            try bench.call("SetOutcome", "noSecrets")
            #expect(try await join() == .failure(.wrongPassphrase(ssid: "Home")))
            #expect(try bench.report().profiles == ["Home"])
        }

        @Test func `a join that does not end is stopped at its limit`() async throws {
            let service = NetworkManagerService(address: bench.address, limits: .init(join: .milliseconds(300)))
            try bench.hear("Home")
            try bench.call("SetOutcome", "hangs")
            let result = try await withRunning(service) { await service.join(home) }
            #expect(result == .failure(.timedOut(ssid: "Home")))
            #expect(try bench.report().profiles.isEmpty)
        }

        @Test func `stopping ends a join`() async throws {
            try bench.hear("Home")
            try bench.call("SetOutcome", "hangs")
            let result = try await withRunning(service) { [service, home] in
                async let result = service.join(home)
                _ = await service.state(where: \.activating)
                service.stop()
                return await result
            }
            #expect(result == .failure(.interrupted))
            #expect(try bench.report().profiles.isEmpty)
            #expect(await service.join(home) == .failure(.interrupted))
        }

        @Test func `a NetworkManager that ends during a join and comes back is used again`() async throws {
            try bench.hear("Home")
            try bench.call("SetOutcome", "vanishes")
            try await withRunning(service) {
                #expect(await service.join(home) == .failure(.interrupted))
                _ = await service.state { !$0.managerRunning }
                #expect(await service.condition(of: home) == .unavailable(.noNetworkManager))

                try await bench.start()
                try bench.call("AddRadio", "wlan0", 30)
                try bench.hear("Home")
                _ = await service.state { $0.device != nil }
                let joined = JoinedNetwork(ssid: "Home", device: "wlan0", credentials: .passphraseFile)
                #expect(await service.join(home) == .success(joined))
            }
        }

        @Test func `joins come one after another`() async throws {
            try bench.hear("Home")
            let results = try await withRunning(service) { [service, home] in
                async let one = service.join(home)
                async let other = service.join(home)
                return await [one, other]
            }
            #expect(results.compactMap { try? $0.get().credentials } == [.passphraseFile])
            #expect(results.allSatisfy { (try? $0.get()) != nil })
            #expect(try bench.report().added.count == 1)
        }

        @Test func `a service runs once`() async throws {
            try await withRunning(service) {
                _ = await service.state(where: \.managerRunning)
                await confirmation("a second run returns at once") { returned in
                    service.run()
                    returned()
                }
            }
            await confirmation("a run after the stop returns at once") { returned in
                service.run()
                returned()
            }
            service.stop()
        }
    }
}
