import OkaeriWiFi
import Testing

@testable import OkaeriNetworkManager

extension NetworkManagerTests {
    @Suite struct Bus {
        private let home: HomeNetwork

        init() throws {
            home = try HomeNetwork(ssid: "Home")
        }

        @Test func `a bus and a NetworkManager that come later are found`() async throws {
            let directory = try TemporaryFile("")
            let path = directory.sibling("bus")
            let service = NetworkManagerService(address: "unix:path=\(path)")
            try await withRunning(service) {
                #expect(await service.condition(of: home) == .unavailable(.noNetworkManager))
                let bench = try await NetworkManagerBench(radio: false, path: path)
                try await bench.start()
                let state = await service.state(where: \.managerRunning)
                #expect(state?.radioEnabled == true)
            }
        }

        @Test func `a bus that ends is reported as no NetworkManager`() async throws {
            let bench = try await NetworkManagerBench()
            let service = NetworkManagerService(address: bench.address)
            try await withRunning(service) {
                _ = await service.state(where: \.managerRunning)
                try bench.end()
                _ = await service.state { !$0.managerRunning }
                #expect(await service.condition(of: home) == .unavailable(.noNetworkManager))
            }
        }

        @Test func `every listener receives the latest state`() async throws {
            let bench = try await NetworkManagerBench()
            let service = NetworkManagerService(address: bench.address)
            try await withRunning(service) {
                _ = await service.state(where: \.radioEnabled)
                try bench.call("SetRadio", false, true)
                let one = await service.state { $0.managerRunning && !$0.radioEnabled }
                let other = await service.state { _ in true }
                var expected = WiFiState(
                    managerRunning: true, hardwareEnabled: true, device: "wlan0", deviceReady: true, uses24GHz: false)
                expected.obstacle = .radioOff
                #expect(one == expected)
                #expect(other == one)
            }
        }
    }
}
