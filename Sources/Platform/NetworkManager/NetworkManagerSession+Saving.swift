import CGIO
import CNetworkManager
import DBus
import WiFi

extension NetworkManagerSession {
    /// For the answer to a new profile that is not activated.
    private static let addLimit = Duration.seconds(10)

    /// Makes a profile of a network that is in sight, with the security that its access points have.
    ///
    /// A Wi-Fi device that is not connected to another network joins with it, which shows whether the passphrase is right: a
    /// profile whose join failed is deleted again. The connection to another network is left alone.
    func save(_ network: HomeNetwork, _ passphrase: TypedPassphrase) async -> Result<SavedProfile, JoinFailure> {
        await beginJoin()
        typed = (network.name, passphrase)
        defer {
            typed = nil
            endJoin()
        }
        guard !gate.isClosed else { return .failure(.interrupted) }
        switch await assess(network, takingOver: true) {
        case .connected: return .success(.existing)
        case .connecting: return .failure(.interrupted)
        case .unavailable(let failure): return .failure(gate.isClosed ? .interrupted : failure)
        case .ready(let plan) where plan.profile != nil: return .success(.existing)
        case .ready(let plan):
            let device = name(plan.device.pointer)
            do throws(JoinFailure) {
                guard isTaken(plan.device.pointer, byOtherThan: Array(network.ssid.utf8)) else {
                    try await carryOut(plan, network)
                    return .success(.joined(device: device))
                }
                try await add(plan, network)
                return .success(.untried(device: device))
            } catch {
                return .failure(error)
            }
        }
    }

    /// Adds the profile, and leaves the device as it is.
    private func add(_ plan: JoinPlan, _ network: HomeNetwork) async throws(JoinFailure) {
        guard let client else { throw .interrupted }
        let profile = try newProfile(plan, network, uuid: try newUUID())
        let added = await call(within: Self.addLimit) { cancellable, callback, data in
            nm_client_add_connection_async(client.pointer, profile.pointer, 1, cancellable, callback, data)
        } finish: { source, result, error in
            GObjectReference(taking: nm_client_add_connection_finish(source, result, error))
        }
        if case .failure(let failure) = added, let reason = reason(failure, network) { throw reason }
    }
}
