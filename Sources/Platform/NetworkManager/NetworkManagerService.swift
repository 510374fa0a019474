import OkaeriDBus
import OkaeriPlumbing
package import OkaeriWiFi

/// Wi-Fi as NetworkManager knows it, over libnm and the system bus.
///
/// It waits patiently for what is missing: a machine without a bus, a NetworkManager that starts later or restarts.
package final class NetworkManagerService: WiFiService {
    struct Limits: Hashable, Sendable {
        /// For a join, from the request to the acceptance; deleting the profile after a failure takes seconds more.
        var join = Duration.seconds(45)

        /// For an address, beyond the profile's own limit: NetworkManager's verdict comes first.
        var addressMargin = Duration.seconds(5)

        /// For a scan. A network that is not in sight takes two: one for everything, one directed at its name.
        var scan = Duration.seconds(10)

        /// For ``NetworkManagerService/run()``, the first answer of NetworkManager, and a device that it has just taken
        /// up, if there is a request sooner.
        var start = Duration.seconds(5)
    }

    private let context: GLibContext
    private let session: NetworkManagerSession
    private let limits: Limits
    private let gate: Gate
    private let changes: Changes
    private let broadcast: Broadcast<WiFiState>

    /// Uses the system bus; `DBUS_SYSTEM_BUS_ADDRESS` may name another address.
    package convenience init() {
        self.init(address: nil)
    }

    /// - Parameter address: the bus to use, as in `unix:path=/run/dbus/system_bus_socket`; nil for the system bus.
    init(address: String?, limits: Limits = Limits()) {
        self.limits = limits
        context = GLibContext()
        gate = Gate()
        changes = Changes()
        broadcast = Broadcast(changesFrom: WiFiState())
        session = NetworkManagerSession(
            context: context, address: address, limits: limits, gate: gate, changes: changes, broadcast: broadcast)
    }

    package func condition(of network: HomeNetwork, for action: NetworkAction) async -> NetworkCondition {
        guard await enter() else { return .unavailable(.noNetworkManager) }
        defer { leave() }
        return await session.condition(of: network, for: action)
    }

    package func networks() async -> Result<[VisibleNetwork], JoinFailure> {
        guard await enter() else { return .failure(gate.isClosed ? .interrupted : .noNetworkManager) }
        defer { leave() }
        return await session.networks()
    }

    package func carryOut(
        _ action: NetworkAction, _ network: HomeNetwork, consent: ActionConsent
    ) async -> Result<JoinedNetwork, JoinFailure> {
        guard await enter() else { return .failure(gate.isClosed ? .interrupted : .noNetworkManager) }
        defer { leave() }
        return await session.carryOut(action, network, consent: consent)
    }

    /// Makes a profile of `network`, unless one fits. It is for the same security as a join, and never for anything weaker.
    package func save(
        _ network: HomeNetwork, with passphrase: TypedPassphrase
    ) async -> Result<SavedProfile, JoinFailure> {
        guard await enter() else { return .failure(gate.isClosed ? .interrupted : .noNetworkManager) }
        defer { leave() }
        return await session.save(network, passphrase)
    }

    /// Returns the passphrase of the saved profile of `network`, if this user may read it.
    package func passphrase(of network: HomeNetwork) async -> Result<TypedPassphrase, JoinFailure> {
        guard await enter() else { return .failure(gate.isClosed ? .interrupted : .noNetworkManager) }
        defer { leave() }
        return await session.passphrase(of: network)
    }

    package var state: WiFiState { broadcast.latest ?? WiFiState() }

    package func states() -> AsyncStream<WiFiState> { broadcast.values(backlog: 1) }

    package func run() {
        guard gate.open() else { return }
        changes.notify()
        let ended = Flag()
        Task { [session, context] in
            await session.supervise()
            ended.set()
            context.wakeUp()
        }
        context.iterate(until: { ended.isSet })
    }

    package func stop() {
        let isRunning = gate.enter()
        gate.close()
        changes.notify()
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
            changes.notify()
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
        changes.notify()
    }
}
