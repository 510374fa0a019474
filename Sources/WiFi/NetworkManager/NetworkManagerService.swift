import GLib

/// Wi-Fi as NetworkManager knows it, over libnm and the system bus.
///
/// It waits patiently for what is missing: a machine without a bus, a NetworkManager that starts later or restarts.
public final class NetworkManagerService: WiFiService {
    /// How long it waits for what, at most.
    public struct Limits: Hashable, Sendable {
        /// For a join, from the request to the address. Clearing up after a failure may take some seconds more.
        public var join: Duration

        /// For a scan. A network that is not in sight takes two: one for everything, one directed at its name.
        public var scan: Duration

        /// For ``NetworkManagerService/run()``, the first word of NetworkManager, and a device that it has just taken
        /// up, when somebody asks sooner.
        public var start: Duration

        public init(
            join: Duration = .seconds(45), scan: Duration = .seconds(10), start: Duration = .seconds(5)
        ) {
            self.join = join
            self.scan = scan
            self.start = start
        }
    }

    private let context: GLibContext
    private let session: NetworkManagerSession
    private let limits: Limits
    private let gate: Gate
    private let changes: Changes
    private let broadcast: StateBroadcast

    /// - Parameters:
    ///   - address: the bus to use, as in `unix:path=/run/dbus/system_bus_socket`; nil for the system bus, where
    ///     `DBUS_SYSTEM_BUS_ADDRESS` may say.
    ///   - limits: how long to wait for what.
    public init(address: String? = nil, limits: Limits = Limits()) {
        self.limits = limits
        context = GLibContext()
        gate = Gate()
        changes = Changes()
        broadcast = StateBroadcast()
        session = NetworkManagerSession(
            context: context, address: address, limits: limits, gate: gate, changes: changes, broadcast: broadcast)
    }

    public func condition(of network: HomeNetwork) async -> NetworkCondition {
        guard await enter() else { return .unavailable(.noNetworkManager) }
        defer { leave() }
        return await session.condition(of: network)
    }

    public func join(_ network: HomeNetwork) async -> Result<JoinedNetwork, JoinFailure> {
        guard await enter() else { return .failure(gate.isClosed ? .interrupted : .noNetworkManager) }
        defer { leave() }
        return await session.join(network)
    }

    public var state: WiFiState { broadcast.latest }

    public func states() -> AsyncStream<WiFiState> { broadcast.states() }

    public func run() {
        guard gate.open() else { return }
        changes.ring()
        let ended = Flag()
        Task { [session, context] in
            await session.supervise()
            ended.set()
            context.wakeUp()
        }
        context.iterate(until: { ended.isSet })
    }

    public func stop() {
        let isRunning = gate.enter()
        gate.close()
        changes.ring()
        guard isRunning else { return }
        Task {
            await session.cancelCalls()
            leave()
        }
    }

    /// Whether the work can be done; then ``leave()`` follows. Waits a while for the thread to start.
    private func enter() async -> Bool {
        let deadline = ContinuousClock.now + limits.start
        let timer = Task { [changes] in
            try await Task.sleep(until: deadline)
            changes.ring()
        }
        defer { timer.cancel() }
        while true {
            let seen = changes.count
            guard gate.isIdle, .now < deadline else { return gate.enter() }
            await changes.wait(past: seen, ticket: changes.ticket())
        }
    }

    private func leave() {
        gate.leave()
        changes.ring()
    }
}
