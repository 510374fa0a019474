import OkaeriWiFi
import Testing

@Suite(.timeLimit(.minutes(5)))
struct SimulatedWiFiTests {
    private let service = SimulatedWiFi(inSight: ["Home"], joinDelay: .zero)
    private let home: HomeNetwork

    init() throws {
        home = try HomeNetwork(ssid: "Home")
    }

    @Test func `a known network is joined`() async throws {
        #expect(await service.condition(of: home) == .ready(via: .savedProfile))
        let joined = JoinedNetwork(ssid: "Home", device: "simulated0", credentials: .savedProfile)
        #expect(await service.join(home) == .success(joined))
        #expect(service.state.connectedSSID == "Home")
        #expect(service.state.activating == false)
        #expect(await service.condition(of: home) == .alreadyConnected)
        #expect(await service.join(home).map(\.credentials) == .success(nil))
    }

    @Test func `an unknown network is not received`() async throws {
        let other = try HomeNetwork(ssid: "Other")
        #expect(await service.condition(of: other) == .unavailable(.notInSight(ssid: "Other")))
        #expect(await service.join(other) == .failure(.notInSight(ssid: "Other")))
    }

    @Test func `it fails as set and recovers`() async throws {
        service.fail("Home", with: .wrongPassphrase(ssid: "Home"))
        #expect(await service.join(home) == .failure(.wrongPassphrase(ssid: "Home")))
        #expect(service.state.connectedSSID == nil)
        service.fail("Home", with: nil)
        #expect(await service.join(home).map(\.ssid) == .success("Home"))
    }

    @Test func `only known networks are in range`() async {
        let home = VisibleNetwork(ssid: "Home", strength: 80, security: .robust(.psk))
        #expect(await service.networks() == .success([home]))
        service.change { $0.radioEnabled = false }
        #expect(await service.networks() == .failure(.radioOff))
    }

    @Test func `the condition follows the state`() async throws {
        service.change { $0.radioEnabled = false }
        #expect(await service.condition(of: home) == .switchedOff())
        service.change { $0.hardwareEnabled = false }
        #expect(await service.condition(of: home) == .unavailable(.hardwareSwitchOff))
        service.change { $0 = WiFiState() }
        #expect(await service.condition(of: home) == .unavailable(.noNetworkManager))
        service.change { $0 = WiFiState(managerRunning: true, radioEnabled: true, hardwareEnabled: true) }
        #expect(await service.condition(of: home) == .unavailable(.noWiFiDevice))
    }

    @Test func `listeners receive the state and its changes`() async throws {
        var states = service.states().makeAsyncIterator()
        #expect(await states.next()?.connectedSSID == nil)
        service.change { $0.connectedSSID = "Elsewhere" }
        #expect(await states.next()?.connectedSSID == "Elsewhere")
    }

    @Test func `the service runs until it is stopped`() async throws {
        try await withRunning(service) { #expect(service.state.connectedSSID == nil) }
        await confirmation("a run after the stop returns at once") { returned in
            service.run()
            returned()
        }
        service.stop()
    }
}
