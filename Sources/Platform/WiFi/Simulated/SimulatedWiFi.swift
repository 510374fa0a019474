import OkaeriPlumbing
import Synchronization

/// A simulated Wi-Fi with the given networks, all in sight, secured and with a saved profile. For demonstrations
/// (`--wifi simulated`), and for tests, which set its failures.
public final class SimulatedWiFi: WiFiService {
    private struct World {
        var failures: [String: JoinFailure] = [:]
        var hotspots: Set<SSID> = []
        var state: WiFiState
    }

    private let inSight: Set<SSID>
    private let joinDelay: Duration
    private let world: Mutex<World>
    private let broadcast = Broadcast(changesFrom: WiFiState())
    private let stopped = BinarySemaphore()

    public init(inSight: Set<SSID>, joinDelay: Duration = .seconds(2)) {
        self.inSight = inSight
        self.joinDelay = joinDelay
        let state = WiFiState(
            managerRunning: true, radioEnabled: true, hardwareEnabled: true, device: "simulated0", deviceReady: true)
        world = Mutex(World(state: state))
        broadcast.send(state)
    }

    public func condition(of network: HomeNetwork, for action: NetworkAction) async -> NetworkCondition {
        world.withLock { world in
            guard world.state.managerRunning else { return .unavailable(.noNetworkManager) }
            let isDone: Bool
            switch action {
            case .join: return condition(of: network, in: world)
            case .hotspot: isDone = world.hotspots.contains(network.name)
            case .radioOn: isDone = world.state.radioEnabled
            case .leave: isDone = !world.state.isConnected(to: network.name)
            case .hotspotOff: isDone = !world.hotspots.contains(network.name)
            case .radioOff: isDone = !world.state.radioEnabled
            }
            return isDone ? .alreadyConnected : .ready(JoinReadiness())
        }
    }

    public func networks() async -> Result<[VisibleNetwork], JoinFailure> {
        if let failure = world.withLock({ Self.failure(in: $0.state) }) { return .failure(failure) }
        return .success(
            VisibleNetwork.merged(inSight.map { VisibleNetwork(ssid: $0.text, strength: 80, security: .robust(.psk)) }))
    }

    public func carryOut(
        _ action: NetworkAction, _ network: HomeNetwork, consent: ActionConsent
    ) async -> Result<JoinedNetwork, JoinFailure> {
        if consent.contains(.switchOn) { change { $0.radioEnabled = true } }
        if action != .join {
            if let failure = world.withLock({ $0.failures[network.ssid] }) { return .failure(failure) }
            change(action, network)
            return .success(JoinedNetwork(ssid: network.ssid, device: state.device, credentials: nil))
        }
        switch world.withLock({ condition(of: network, in: $0) }) {
        case .alreadyConnected:
            return .success(JoinedNetwork(ssid: network.ssid, device: state.device, credentials: nil))
        case .unavailable(let failure):
            return .failure(failure)
        case .switchedOff:
            return .failure(.radioOff)
        case .connecting:
            return .failure(.timedOut(ssid: network.ssid))
        case .ready(let readiness):
            change { $0.activating = true }
            var failure = world.withLock { $0.failures[network.ssid] }
            do { try await Task.sleep(for: joinDelay) } catch { failure = .interrupted }
            var device: String?
            change { [failure] state in
                state.activating = false
                if failure == nil { state.connectedSSID = network.ssid }
                // Another device may be the first one as soon as the change is seen.
                device = state.device
            }
            if let failure { return .failure(failure) }
            return .success(JoinedNetwork(ssid: network.ssid, device: device, credentials: readiness.credentials))
        }
    }

    public func passphrase(of network: HomeNetwork) async -> Result<TypedPassphrase, JoinFailure> {
        guard inSight.contains(network.name), let passphrase = try? TypedPassphrase("simulated passphrase") else {
            return .failure(.noCredentials(ssid: network.ssid))
        }
        return .success(passphrase)
    }

    public var state: WiFiState { broadcast.latest ?? WiFiState() }

    public func states() -> AsyncStream<WiFiState> { broadcast.values(backlog: 1) }

    public func run() {
        stopped.wait()
        // It does not run again.
        stopped.signal()
    }

    public func stop() { stopped.signal() }

    /// Sets the result of joins of that network from now on; `nil` for success.
    public func fail(_ ssid: String, with failure: JoinFailure?) {
        world.withLock { $0.failures[ssid] = failure }
    }

    /// Changes the state of Wi-Fi, such as being switched off or a network joined by another program.
    public func change(_ body: (inout WiFiState) -> Void) {
        world.withLock { world in
            body(&world.state)
            broadcast.send(world.state)
        }
    }

    private func change(_ action: NetworkAction, _ network: HomeNetwork) {
        world.withLock { world in
            switch action {
            case .join: world.state.connectedSSID = network.ssid
            case .hotspot: world.hotspots.insert(network.name)
            case .hotspotOff: world.hotspots.remove(network.name)
            case .radioOn: world.state.radioEnabled = true
            case .leave: world.state.connectedSSID = nil
            case .radioOff:
                world.state.radioEnabled = false
                world.state.connectedSSID = nil
                world.hotspots = []
            }
            broadcast.send(world.state)
        }
    }

    private func condition(of network: HomeNetwork, in world: World) -> NetworkCondition {
        let state = world.state
        switch Self.failure(in: state) {
        case .radioOff? where inSight.contains(network.name): return .switchedOff()
        case let failure?: return .unavailable(failure)
        case nil: break
        }
        guard !state.isConnected(to: network.name) else { return .alreadyConnected }
        guard inSight.contains(network.name) else { return .unavailable(.notInSight(ssid: network.ssid)) }
        return .ready(via: .savedProfile)
    }

    /// Returns the reason why nothing can be joined.
    private static func failure(in state: WiFiState) -> JoinFailure? {
        guard state.managerRunning else { return .noNetworkManager }
        guard state.hardwareEnabled else { return .hardwareSwitchOff }
        guard state.radioEnabled else { return .radioOff }
        return state.device == nil ? .noWiFiDevice : nil
    }
}
