/// A service that observes Wi-Fi and joins networks. Every answer is bounded in time.
public protocol WiFiService: Sendable {
    /// Whether `action` can be carried out now. For a join, scans if the network is not in sight, also directed at the name.
    func condition(of network: HomeNetwork, for action: NetworkAction) async -> NetworkCondition

    /// The networks in sight, the strongest first, after a scan unless there was one a moment ago. It fails only with what
    /// keeps all of them out of sight.
    func networks() async -> Result<[VisibleNetwork], JoinFailure>

    /// Carries out `action`. Joins `network`, and never anything weaker that bears its name.
    ///
    /// - Parameter consent: The side effects that are allowed. Without the one that is needed, the action fails.
    func carryOut(
        _ action: NetworkAction, _ network: HomeNetwork, consent: ActionConsent
    ) async -> Result<JoinedNetwork, JoinFailure>

    /// Returns the passphrase of the saved profile of a network or of its hotspot, if this user may read it.
    func passphrase(of network: HomeNetwork) async -> Result<TypedPassphrase, JoinFailure>

    var state: WiFiState { get }

    /// The state now and after each change; a slow reader misses states in between, never the latest.
    func states() -> AsyncStream<WiFiState>

    /// Does the work, on the calling thread, until ``stop()``; a thread of its own is for the caller to give.
    /// Before `run` and after it, nothing can be joined. A service that has been stopped does not run again.
    func run()

    /// Ends ``run()``, from any thread, once or more often. A join under way ends as ``JoinFailure/interrupted``.
    func stop()
}

extension WiFiService {
    public func condition(of network: HomeNetwork) async -> NetworkCondition {
        await condition(of: network, for: .join)
    }

    public func join(
        _ network: HomeNetwork, consent: ActionConsent = []
    ) async -> Result<JoinedNetwork, JoinFailure> {
        await carryOut(.join, network, consent: consent)
    }
}

/// A join that succeeded.
public struct JoinedNetwork: Hashable, Sendable {
    public let ssid: String

    public let device: String?

    /// The credentials of the join; `nil` if it was connected before the join began.
    public let credentials: NetworkCondition.Credentials?

    public init(ssid: String, device: String?, credentials: NetworkCondition.Credentials?) {
        self.ssid = ssid
        self.device = device
        self.credentials = credentials
    }
}
