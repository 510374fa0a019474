import COkaeriGIO
import COkaeriNetworkManager
import OkaeriDBus
import OkaeriWiFi

/// Looks for a way to join a network, among what is in the client's cache.
extension NetworkManagerSession {
    /// An access point with WPA2 or WPA3.
    private struct Candidate {
        let device: OpaquePointer
        let accessPoint: OpaquePointer
        var keys: NetworkSecurity.KeyManagement

        /// Whether the join ends the device's connection to another network.
        let leavesOther: Bool
    }

    func survey(_ network: HomeNetwork, without unusable: Set<String>, takingOver takesOver: Bool) -> Survey {
        let stations: [OpaquePointer]
        switch self.stations() {
        case .success(let devices): stations = devices
        case .failure(let failure): return .unavailable(failure)
        }
        let ssid = network.name.bytes
        if let device = stations.first(where: { isConnected($0, to: ssid) }) { return .connected(device: name(device)) }
        if !takesOver, stations.contains(where: { isConnecting($0, to: ssid) }) { return .connecting }

        var candidates: [Candidate] = []
        var weak: WeakSecurity?
        for device in stations {
            let leavesOther = isTaken(device, byOtherThan: ssid)
            for accessPoint in accessPoints(device, named: ssid) {
                switch security(accessPoint) {
                case .robust(let keys):
                    candidates.append(
                        Candidate(device: device, accessPoint: accessPoint, keys: keys, leavesOther: leavesOther))
                case .weak(let seen):
                    weak = max(weak ?? seen, seen)
                }
            }
        }
        guard !candidates.isEmpty else {
            let ssid = network.ssid
            return .unavailable(weak.map { .onlyUnsecuredInSight(ssid: ssid, seen: $0) } ?? .notInSight(ssid: ssid))
        }
        if network.security == .wpa3 {
            candidates = Self.withSAE(candidates)
            guard !candidates.isEmpty else {
                return .unavailable(.onlyUnsecuredInSight(ssid: network.ssid, seen: .wpa2))
            }
        }
        let proof = proof(network, among: candidates)
        candidates.sort { nm_access_point_get_strength($0.accessPoint) > nm_access_point_get_strength($1.accessPoint) }
        let idle = plan(candidates.filter { !$0.leavesOther }, network, without: unusable, proof)
        if case .ready(let plan)? = idle { return .ready(plan) }
        let any = network.join.mayLeaveOtherNetwork ? plan(candidates, network, without: unusable, proof) : idle
        if let any { return any }
        let device = candidates[0].device
        let interface = name(device) ?? "?"
        guard let security = weakTwin(device, ssid) else {
            return .unavailable(.connectedElsewhere(device: interface))
        }
        return .unavailable(.connectedToTwin(ssid: network.ssid, device: interface, security: security))
    }

    /// Returns the plan for joining through one of these, the strongest first; `nil` if there are none.
    private func plan(
        _ candidates: [Candidate], _ network: HomeNetwork, without unusable: Set<String>, _ proof: Proof
    ) -> Survey? {
        guard !candidates.isEmpty else { return nil }
        let isStrict = network.security == .wpa3
        return savedPlan(candidates, without: failedProfiles.union(unusable), isStrict: isStrict)
            ?? newPlan(candidates, network, proof, instead: unusable)
    }

    /// Those that have SAE, to be joined with nothing else.
    private static func withSAE(_ candidates: [Candidate]) -> [Candidate] {
        candidates.filter { $0.keys.contains(.sae) }.map { candidate in
            var candidate = candidate
            candidate.keys = .sae
            return candidate
        }
    }

    private enum Proof {
        case any

        /// SAE and nothing less: an imitation with WPA2, which may be the strongest, then gets no handshake.
        case sae

        /// Some access points have WPA2, others SAE and nothing less. Either may be the imitation: a profile for WPA2 would
        /// give it a handshake, and a profile for SAE would exclude adapters without SAE.
        case undecided
    }

    /// Returns what the configuration, a saved profile that was in use, or the access points in sight require.
    ///
    /// An access point with WPA2 and SAE requires nothing: many adapters have no SAE, and its network offers WPA2 to every
    /// device.
    private func proof(_ network: HomeNetwork, among candidates: [Candidate]) -> Proof {
        switch network.security {
        case .wpa3: return .sae
        case .wpa2: return .any
        case nil: break
        }
        if hasUsedSAE(network.name.bytes) { return .sae }
        guard candidates.contains(where: { $0.keys.contains(.sae) && !$0.keys.contains(.psk) }) else { return .any }
        return candidates.contains { $0.keys.contains(.psk) } ? .undecided : .sae
    }

    /// The strongest access point that a profile fits, with the profile used last.
    ///
    /// - Parameter isStrict: whether the profile may not allow more than the access point has.
    private func savedPlan(
        _ candidates: [Candidate], without unusable: Set<String>, isStrict: Bool
    ) -> Survey? {
        for candidate in candidates {
            let keys = candidate.keys
            let profiles = savedProfiles(candidate).filter { profile in
                !unusable.contains(uuid(profile)) && fits(profile, keys, isStrict: isStrict)
            }
            if let profile = profiles.max(by: { lastUse($0) < lastUse($1) }) {
                return plan(candidate, profile: profile, passphrase: nil)
            }
        }
        return nil
    }

    /// - Parameter failed: The profiles that the passphrase file takes the place of, by UUID. One that was made from the file is
    ///   brought up to date.
    private func newPlan(
        _ all: [Candidate], _ network: HomeNetwork, _ proof: Proof, instead failed: Set<String>
    ) -> Survey {
        let personal = all.filter { !$0.keys.isDisjoint(with: [.psk, .sae]) }
        guard !personal.isEmpty else { return .unavailable(.enterpriseNeedsProfile(ssid: network.ssid)) }
        guard let source = passphrase(of: network) else {
            let needsSAE = network.security == .wpa3
            if let (profile, security) = unsecuredProfile(network.name.bytes, needsSAE: needsSAE) {
                return .unavailable(.savedProfileUnsecured(profile: profile, security: security))
            }
            return .unavailable(.noCredentials(ssid: network.ssid, misfit: misfit(of: network, among: all)))
        }
        guard proof != .undecided else { return .unavailable(.mixedSecurityInSight(ssid: network.ssid)) }
        let usable = proof == .sae ? Self.withSAE(personal) : personal
        // Those with PSK first: with `security: wpa2`, an adapter without SAE must reach the network as well.
        guard let best = usable.first(where: { $0.keys.contains(.psk) }) ?? usable.first else {
            return .unavailable(.onlyUnsecuredInSight(ssid: network.ssid, seen: .wpa2))
        }
        do throws(PassphraseFileError) {
            let isRawKey = try source.isRawKey
            guard isRawKey, !best.keys.contains(.psk) else {
                return plan(best, profile: outdated(failed, best, network), passphrase: source)
            }
        } catch {
            return .unavailable(.passphraseFile(error))
        }
        guard network.security == .wpa3 || !personal.contains(where: { $0.keys.contains(.psk) }) else {
            return .unavailable(.mixedSecurityInSight(ssid: network.ssid))
        }
        guard case .file(let path) = source else { return .unavailable(.wrongPassphrase(ssid: network.ssid)) }
        return .unavailable(.passphraseFile(PassphraseFileError(path: path, problem: .rawKeyForSAE)))
    }

    /// The passphrase that was typed for the network, or its file.
    private func passphrase(of network: HomeNetwork) -> PassphraseSource? {
        if let typed, typed.name == network.name { return .typed(typed.passphrase) }
        return network.passphraseFile.map { .file($0) }
    }

    /// A profile that was made from the passphrase file and whose handshake failed, borrowed from the cache.
    private func outdated(_ failed: Set<String>, _ candidate: Candidate, _ network: HomeNetwork) -> OpaquePointer? {
        let (keys, isStrict) = (candidate.keys, network.security == .wpa3)
        for profile in savedProfiles(candidate) {
            guard failed.contains(uuid(profile)), isMadeFromFile(profile) else { continue }
            if fits(profile, keys, isStrict: isStrict) { return profile }
        }
        return nil
    }

    private func plan(_ candidate: Candidate, profile: OpaquePointer?, passphrase: PassphraseSource?) -> Survey {
        guard let path = nm_object_get_path(candidate.accessPoint) else { return .unavailable(.interrupted) }
        var twin: WeakSecurity?
        if let name = ssid(candidate.accessPoint) { twin = weakTwin(candidate.device, name) }
        return .ready(
            JoinPlan(
                device: GObjectReference(sharing: candidate.device), accessPointPath: String(cString: path),
                keys: candidate.keys, strength: Int(nm_access_point_get_strength(candidate.accessPoint)),
                replacesWeakTwin: twin != nil,
                profile: profile.map { GObjectReference(sharing: $0) }, passphrase: passphrase))
    }

    /// NetworkManager's profiles for that device and that access point, borrowed from the cache.
    private func savedProfiles(_ candidate: Candidate) -> [OpaquePointer] {
        guard let client, let all = nm_client_get_connections(client.pointer),
            let ofDevice = nm_device_filter_connections(candidate.device, all)
        else { return [] }
        defer { g_ptr_array_unref(ofDevice) }
        guard let fitting = nm_access_point_filter_connections(candidate.accessPoint, ofDevice) else { return [] }
        defer { g_ptr_array_unref(fitting) }
        return pointers(fitting)
    }

    /// A profile of that network, and the setting that excludes it here.
    private func misfit(of network: HomeNetwork, among candidates: [Candidate]) -> ProfileMisfit? {
        guard let profile = profiles(of: network.name.bytes).first(where: isOfStation) else { return nil }
        let devices = candidates.map(\.device)
        let isStrict = network.security == .wpa3
        var isFitting = false
        for candidate in candidates where fits(profile, candidate.keys, isStrict: isStrict) { isFitting = true }
        let setting: ProfileMisfit.Setting
        if let interface = interface(profile), !devices.contains(where: { name($0) == interface }) {
            setting = .interface(interface)
        } else if let address = bssid(profile),
            !candidates.contains(where: { bssid(ofAccessPoint: $0.accessPoint) == address })
        {
            setting = .accessPoint(address)
        } else if let band = band(profile),
            !candidates.contains(where: { (nm_access_point_get_frequency($0.accessPoint) < 3000) == (band == "bg") })
        {
            setting = .band(band)
        } else if !isFitting {
            setting = .security
        } else {
            return nil
        }
        return ProfileMisfit(profile: id(profile), setting: setting)
    }
}
