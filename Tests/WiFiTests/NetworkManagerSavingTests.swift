import OkaeriWiFi
import Testing

@testable import OkaeriNetworkManager

extension NetworkManagerTests {
    /// Profiles that are made from a typed passphrase.
    @Suite struct Saving {
        private typealias Air = NetworkManagerBench.Air

        private let bench: NetworkManagerBench
        private let service: NetworkManagerService

        init() async throws {
            bench = try await NetworkManagerBench()
            service = NetworkManagerService(address: bench.address)
        }

        private func save(
            _ passphrase: String = "correct horse", security: PersonalSecurity? = nil
        ) async throws -> Result<SavedProfile, JoinFailure> {
            let (network, typed) = (try HomeNetwork(ssid: "Home", security: security), try TypedPassphrase(passphrase))
            return try await withRunning(service) { await service.save(network, with: typed) }
        }

        @Test(arguments: [
            (rsn: Air.psk, keyManagement: "wpa-psk"), (rsn: Air.psk | Air.sae, keyManagement: "wpa-psk"),
            (rsn: Air.sae, keyManagement: "sae"),
        ])
        func `an idle device joins with the new profile`(rsn: UInt32, keyManagement: String) async throws {
            try bench.hear("Home", wpa: Air.tkip, rsn: rsn)
            #expect(try await save() == .success(.joined(device: "wlan0")))
            let report = try bench.report()
            let added = try #require(report.added.first)
            #expect(added.security.keyManagement == keyManagement && added.security.psk == "correct horse")
            #expect(added.security.proto == ["rsn"] && added.security.pairwise == ["ccmp"])
            #expect(report.profiles == ["Home"] && report.activated.count == 1)
        }

        @Test func `a connection to another network is left alone`() async throws {
            try bench.hear("Home")
            try bench.call("Connect", NetworkManagerBench.radio, bench.save("Office"), bench.hear("Office"))
            #expect(try await save() == .success(.untried(device: "wlan0")))
            let report = try bench.report()
            #expect(report.added.map(\.wireless.ssid) == ["Home"] && report.activated.isEmpty)
            #expect(report.profiles.sorted() == ["Home", "Office"])
        }

        @Test func `a profile that fits is enough`() async throws {
            try bench.hear("Home")
            try bench.save("Home")
            #expect(try await save() == .success(.existing))
            #expect(try bench.report().added.isEmpty)
        }

        @Test func `the profile of a wrong passphrase is deleted`() async throws {
            try bench.hear("Home", strength: 90)
            try bench.call("SetOutcome", "noSecrets")
            #expect(try await save() == .failure(.wrongPassphrase(ssid: "Home")))
            #expect(try bench.report().profiles.isEmpty)
        }

        @Test(arguments: [0, Air.tkip])
        func `a network without WPA2 receives no profile`(wpa: UInt32) async throws {
            try bench.hear("Home", flags: wpa == 0 ? 0 : 1, wpa: wpa, rsn: 0)
            let saved = try await save()
            guard case .failure(let failure) = saved else { return #expect(Bool(false), "\(saved)") }
            #expect(failure.code == .onlyUnsecuredInSight)
            #expect(try bench.report().added.isEmpty)
        }

        @Test func `access points with WPA2 alone receive no profile where WPA3 is set`() async throws {
            try bench.hear("Home")
            #expect(
                try await save(security: .wpa3) == .failure(.onlyUnsecuredInSight(ssid: "Home", seen: .wpa2)))
            #expect(try bench.report().added.isEmpty)
        }

        @Test func `access points that differ in security receive no profile, because either may be the imitation`()
            async throws
        {
            try bench.hear("Home")
            try bench.hear("Home", rsn: Air.sae)
            #expect(try await save() == .failure(.mixedSecurityInSight(ssid: "Home")))
            #expect(try bench.report().added.isEmpty)
        }

        @Test func `a missing right is a failure`() async throws {
            try bench.hear("Home")
            try bench.call("Connect", NetworkManagerBench.radio, bench.save("Office"), bench.hear("Office"))
            try bench.call("SetOutcome", "denied")
            #expect(try await save() == .failure(.noPermission))
        }

        @Test(arguments: [
            (#"{"key-mgmt": "wpa-psk", "psk": "correct horse"}"#, "activated", nil),
            (#"{"key-mgmt": "wpa-psk"}"#, "activated", JoinFailure.Code.secretUnavailable),
            (#"{"key-mgmt": "wpa-psk", "psk": "correct horse"}"#, "denied", .noPermission),
            ("", "activated", .noCredentials),
        ])
        func `the passphrase of a saved profile is read for guests, if the user may`(
            security: String, outcome: String, code: JoinFailure.Code?
        ) async throws {
            try bench.save("Home", security: security)
            try bench.call("SetOutcome", outcome)
            let network = try HomeNetwork(ssid: "Home")
            let service = NetworkManagerService(address: bench.address)
            let result = try await withRunning(service) { await service.passphrase(of: network) }
            switch result {
            case .success(let passphrase):
                #expect(code == nil && passphrase.withCString { String(cString: $0) } == "correct horse")
            case .failure(let failure): #expect(failure.code == code)
            }
        }
    }
}

@Suite struct TypedPassphraseTests {
    @Test(arguments: [
        ("1234567", TypedPassphrase.Mistake.length(7)), (String(repeating: "x", count: 65), .length(65)),
        ("passwörter", .notPrintable), ("pass\tword", .notPrintable),
        (String(repeating: "g", count: 64), .notHexadecimal),
    ])
    func `a text that is not a passphrase is refused`(text: String, mistake: TypedPassphrase.Mistake) {
        #expect(throws: mistake) { try TypedPassphrase(text) }
        #expect(!mistake.description.contains(text))
    }

    @Test func `a passphrase is not printed`() throws {
        let passphrase = try TypedPassphrase("correct horse")
        var dumped = ""
        dump([passphrase], to: &dumped)
        #expect(!"\(passphrase) \(String(reflecting: passphrase)) \(dumped)".contains("horse"))
        #expect(try !passphrase.isRawKey && TypedPassphrase(String(repeating: "aF", count: 32)).isRawKey)
    }
}
