import OkaeriWiFi
import Testing

@testable import OkaeriNetworkManager

extension NetworkManagerTests {
    /// The actions of arrivals and departures besides a join, through libnm.
    @Suite struct Actions {
        private let bench: NetworkManagerBench
        private let service: NetworkManagerService
        private let radio = NetworkManagerBench.radio

        init() async throws {
            bench = try await NetworkManagerBench()
            service = NetworkManagerService(address: bench.address)
            try bench.call("SetPermission", "enable-disable-wifi", "yes")
        }

        private func network(
            _ join: JoinPolicy = .auto, ssid: String = "Pi", hotspot: String? = nil
        ) throws -> HomeNetwork {
            try HomeNetwork(ssid: ssid, join: join, onArrival: .hotspot, onDeparture: .hotspotOff, hotspot: hotspot)
        }

        private func done(_ ssid: String = "Pi") -> Result<JoinedNetwork, JoinFailure> {
            .success(JoinedNetwork(ssid: ssid, device: "wlan0", credentials: nil))
        }

        private let ready = NetworkCondition.ready(JoinReadiness())

        @Test func `a hotspot is opened with its profile, and closed again`() async throws {
            try bench.call("SaveHotspot", "Open", "Pi", false)
            try bench.call("SaveHotspot", "Other", "Office", true)
            let profile = try bench.call("SaveHotspot", "Mine", "Pi", true)
            let pi = try network()
            try await withRunning(service) {
                #expect(await service.condition(of: pi, for: .hotspotOff) == .alreadyConnected)
                #expect(await service.condition(of: pi, for: .hotspot) == ready)
                #expect(await service.carryOut(.hotspot, pi, consent: []) == done())
                try #expect(bench.report().activated.map(\.profile) == [profile])
                #expect(await service.condition(of: pi, for: .hotspot) == .alreadyConnected)
                #expect(await service.condition(of: pi, for: .leave) == .alreadyConnected, "a hotspot is not left")
                #expect(await service.condition(of: pi, for: .hotspotOff) == ready)
                #expect(await service.carryOut(.hotspotOff, pi, consent: []) == done())
                try #expect(bench.report().deactivated == ["Mine"])
                #expect(
                    await service.condition(of: pi, for: .hotspot)
                        == .ready(JoinReadiness(isDisconnectedByUser: true)))
            }
        }

        @Test func `a hotspot without WPA2 or WPA3, or of another name, is not opened`() async throws {
            try bench.call("SaveHotspot", "Open", "Pi", false)
            try bench.save("Pi")
            try bench.call("SaveHotspot", "Mine", "Pi", true)
            let missing = NetworkCondition.unavailable(.noHotspotProfile(ssid: "Pi"))
            let (open, mine) = try (network(hotspot: "Open"), network(hotspot: "Mine"))
            try await withRunning(service) {
                #expect(await service.condition(of: open, for: .hotspot) == missing)
                #expect(
                    await service.carryOut(.hotspot, open, consent: [])
                        == .failure(.noHotspotProfile(ssid: "Pi")))
                #expect(await service.condition(of: mine, for: .hotspot) == ready)
            }
        }

        @Test(arguments: [JoinPolicy.auto, .prompt])
        func `a device that is connected serves a hotspot only after a question`(join: JoinPolicy) async throws {
            try bench.call("SaveHotspot", "Mine", "Pi", true)
            try bench.call("Connect", radio, bench.save("Office"), bench.hear("Office"))
            let pi = try network(join)
            try await withRunning(service) {
                _ = await service.state { $0.connectedSSID != nil }
                let condition = await service.condition(of: pi, for: .hotspot)
                let result = await service.carryOut(
                    .hotspot, pi, consent: join == .prompt ? .endConnection : [])
                if join == .auto {
                    #expect(condition == .unavailable(.connectedElsewhere(device: "wlan0")))
                    #expect(result == .failure(.connectedElsewhere(device: "wlan0")))
                } else {
                    #expect(condition == .ready(JoinReadiness(endsConnection: true)))
                    #expect(result == done())
                }
            }
        }

        @Test func `a second device that is idle serves the hotspot`() async throws {
            try bench.call("SaveHotspot", "Mine", "Pi", true)
            try bench.call("Connect", radio, bench.save("Office"), bench.hear("Office"))
            try bench.call("AddRadio", "wlan1", 30)
            let pi = try network()
            let expected = JoinedNetwork(ssid: "Pi", device: "wlan1", credentials: nil)
            try await withRunning(service) {
                _ = await service.state { $0.connectedSSID != nil }
                #expect(await service.carryOut(.hotspot, pi, consent: []) == .success(expected))
            }
        }

        @Test func `a network is left whoever joined it, and only that one`() async throws {
            try bench.call("Connect", radio, bench.save("Home"), bench.hear("Home"))
            let (home, other) = try (HomeNetwork(ssid: "Home"), HomeNetwork(ssid: "Office"))
            try await withRunning(service) {
                _ = await service.state { $0.connectedSSID != nil }
                #expect(await service.condition(of: other, for: .leave) == .alreadyConnected)
                #expect(await service.condition(of: home, for: .leave) == ready)
                #expect(await service.carryOut(.leave, home, consent: []) == done("Home"))
                #expect(await service.state { $0.connectedSSID == nil } != nil)
                try #expect(bench.report().deactivated == ["Home"])
            }
        }

        @Test func `Wi-Fi is switched off and on`() async throws {
            let pi = try network()
            try await withRunning(service) {
                #expect(await service.condition(of: pi, for: .radioOn) == .alreadyConnected)
                #expect(await service.condition(of: pi, for: .radioOff) == ready)
                #expect(await service.carryOut(.radioOff, pi, consent: []) == done())
                #expect(await service.state { !$0.radioEnabled } != nil)
                #expect(await service.condition(of: pi, for: .radioOff) == .alreadyConnected)
                #expect(await service.condition(of: pi, for: .radioOn) == ready)
                #expect(await service.carryOut(.radioOn, pi, consent: []) == done())
                #expect(await service.state { $0.radioEnabled } != nil)
            }
        }

        @Test func `without the right nothing is switched, opened or left`() async throws {
            try bench.call("SaveHotspot", "Mine", "Pi", true)
            try bench.call("Connect", radio, bench.save("Home"), bench.hear("Home"))
            try bench.call("AddRadio", "wlan1", 30)
            for right in ["enable-disable-wifi", "network-control"] { try bench.call("SetPermission", right, "auth") }
            let (pi, home) = try (network(), HomeNetwork(ssid: "Home"))
            try await withRunning(service) {
                _ = await service.state { $0.connectedSSID != nil }
                let denied = NetworkCondition.unavailable(.noPermission)
                #expect(await service.condition(of: pi, for: .radioOff) == denied)
                #expect(await service.condition(of: pi, for: .hotspot) == denied)
                #expect(await service.condition(of: home, for: .leave) == denied)
                try bench.call("SetOutcome", "denied")
                #expect(await service.carryOut(.leave, home, consent: []) == .failure(.noPermission))
                #expect(await service.carryOut(.hotspot, pi, consent: []) == .failure(.noPermission))
            }
        }

        @Test(arguments: [
            ("127.0.7.1", true, "127.0.7.1", true), ("127.0.7.2", true, "laptop.lan", true),
            ("127.0.7.3", false, "127.0.7.3", false), ("127.0.7.4", true, "127.0.7.9", false),
        ])
        func `a login over the connection is found`(
            address: String, isRemote: Bool, host: String, isLoggedIn: Bool
        ) async throws {
            try bench.call("Connect", radio, bench.save("Home"), bench.hear("Home"))
            try bench.call("SetAddress", radio, address)
            try bench.call("LogIn", address, isRemote, host)
            let home = try HomeNetwork(ssid: "Home")
            try await withRunning(service) {
                _ = await service.state { $0.connectedSSID != nil }
                let expected = NetworkCondition.ready(JoinReadiness(isLoggedInOver: isLoggedIn))
                #expect(await service.condition(of: home, for: .leave) == expected)
                #expect(await service.condition(of: home, for: .radioOff) == expected)
                // A user has logged in since the question, which did not say so.
                let result = await service.carryOut(.leave, home, consent: [])
                #expect(result == (isLoggedIn ? .failure(.userLoggedIn(ssid: "Home")) : done("Home")))
                if isLoggedIn {
                    #expect(await service.carryOut(.leave, home, consent: .endLogins) == done("Home"))
                }
            }
        }

        @Test func `a table of the kernel is read to its end`() throws {
            // One read returns a page at most.
            let whole = TCPConnections.content("/proc/self/smaps")
            #expect(whole.utf8.count > 65_536 && whole.contains("[stack]"))
            #expect(TCPConnections.content("/nonexistent") == "")
        }

        @Test func `the kernel's tables of connections are read`() {
            // From proc_pid_net(5); the machine's order of bytes is that of the test's.
            let four = UInt32(bigEndian: 0xC0A8_0102).hexadecimal
            let mapped = "0000000000000000" + UInt32(bigEndian: 0x0000_FFFF).hexadecimal + four
            let table = """
                  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
                   0: \(four):0016 \(four):C001 01 00000000:00000000 00:00000000 00000000     0        0 1 1
                   1: \(four):0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 2 1
                   2: \(mapped):0016 \(mapped):C001 01 00000000:00000000 00:00000000 00000000     0        0 3 1
                   3: XYZ:0016 \(four):C001 01 0
                   4: \(four) \(four):C001 01 0
                """
            let address = NetworkAddress(bytes: [192, 168, 1, 2])
            let expected = TCPConnection(local: address, localPort: 22, remote: address)
            #expect(TCPConnections.parsed(table) == [expected, expected])
            #expect(NetworkAddress("192.168.1.2") == address && NetworkAddress("::ffff:192.168.1.2") == address)
            #expect(NetworkAddress("fe80::1%wlan0")?.bytes.count == 16 && NetworkAddress("laptop") == nil)
        }
    }
}

extension UInt32 {
    fileprivate var hexadecimal: String {
        let digits = String(self, radix: 16, uppercase: true)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
