import CGIO
import CNetworkManager
import DBus
import WiFi

extension NetworkManagerSession {
    /// For the answer to a request for secrets, which no agent is asked for.
    private static let secretLimit = Duration.seconds(10)

    /// Returns the passphrase of the saved profile of a network, the one used last, if this user may read it.
    func passphrase(of network: HomeNetwork) async -> Result<TypedPassphrase, JoinFailure> {
        await wait(until: .now + limits.start) { isStarted || gate.isClosed }
        guard isManagerRunning else { return .failure(gate.isClosed ? .interrupted : .noNetworkManager) }
        let stations = profiles(of: Array(network.ssid.utf8)).filter { isOfStation($0) && isRobust($0) }
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
