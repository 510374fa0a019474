import COkaeriGIO
import COkaeriNetworkManager
import OkaeriDBus
import OkaeriWiFi

extension NetworkManagerSession {
    /// For the answer to a new profile that is not activated.
    private static let addLimit = Duration.seconds(10)

    /// Makes a profile of a network that is in sight, with the security that its access points have.
    ///
    /// A Wi-Fi device that is not connected to another network joins with it, which shows whether the passphrase is right: a
    /// profile whose join failed is deleted again. The connection to another network is left alone.
    func save(_ network: HomeNetwork, _ passphrase: TypedPassphrase) async -> Result<SavedProfile, JoinFailure> {
        await beginAction()
        typed = (network.name, passphrase)
        defer {
            typed = nil
            endAction()
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
                guard isTaken(plan.device.pointer, byOtherThan: network.name.bytes) else {
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

/// The result of a request for a profile of a network.
package enum SavedProfile: Sendable, Equatable {
    /// There is one that fits, or the device is connected to the network.
    case existing
    /// The profile is new, and the device has joined the network with it.
    case joined(device: String?)
    /// The profile is new. The device is connected to another network, so nothing has tried the passphrase.
    case untried(device: String?)
}

extension NetworkManagerSession {
    /// For the answer to a request for secrets, which no agent is asked for.
    private static let secretLimit = Duration.seconds(10)

    /// Returns the passphrase of the saved profile of a network, the one used last, if this user may read it.
    func passphrase(of network: HomeNetwork) async -> Result<TypedPassphrase, JoinFailure> {
        await wait(until: .now + limits.start) { isStarted || gate.isClosed }
        guard isManagerRunning else { return .failure(gate.isClosed ? .interrupted : .noNetworkManager) }
        let stations = profiles(of: network.name.bytes).filter { isOfStation($0) && isRobust($0) }
        let last = stations.max { lastUse($0) < lastUse($1) }
        guard let last = network.onArrival == .hotspot ? hotspotProfile(network) : last else {
            return .failure(.noCredentials(ssid: network.ssid))
        }
        let profile = GObjectReference(sharing: last)
        switch await passphrase(of: profile) {
        case .success(let passphrase?): return .success(passphrase)
        case .success(nil): return .failure(.secretUnavailable(profile: id(profile.pointer)))
        case .failure(let failure): return .failure(reason(failure, network) ?? .interrupted)
        }
    }

    /// Returns the passphrase of a profile; `nil` if NetworkManager stores none.
    func passphrase(of profile: GObjectReference) async -> Result<TypedPassphrase?, CallFailure> {
        await call(within: Self.secretLimit) { cancellable, callback, data in
            nm_remote_connection_get_secrets_async(
                profile.pointer, NM_SETTING_WIRELESS_SECURITY_SETTING_NAME, cancellable, callback, data)
        } finish: { source, result, error -> TypedPassphrase?? in
            guard let answer = nm_remote_connection_get_secrets_finish(source, result, error) else { return nil }
            defer { g_variant_unref(answer) }
            guard let psk = okaeri_secrets_psk(answer) else { return .some(nil) }
            defer { g_free(psk) }
            return .some(try? TypedPassphrase(String(cString: psk)))
        }
    }
}
