import COkaeriNetworkManager
import OkaeriDBus
import OkaeriWiFi

extension NetworkManagerSession {
    private static let deleteLimit = Duration.seconds(5)

    /// NetworkManager's `ipv4.dhcp-timeout`, where neither the profile nor NetworkManager.conf sets another one.
    private static let defaultAddressLimit = Duration.seconds(45)

    /// A profile may allow any time, even infinity; the next join does not wait longer than this.
    private static let longestAddressLimit = Duration.seconds(300)

    func uuid(_ profile: OpaquePointer) -> String {
        nm_connection_get_uuid(profile).map { String(cString: $0) } ?? ""
    }

    func id(_ profile: OpaquePointer) -> String {
        nm_connection_get_id(profile).map { String(cString: $0) } ?? uuid(profile)
    }

    /// Whether NetworkManager itself stores the profile's passphrase, rather than an agent in a user's session.
    func hasPassphrase(_ profile: OpaquePointer) -> Bool {
        guard let setting = nm_connection_get_setting_wireless_security(profile) else { return true }
        let elsewhere = NM_SETTING_SECRET_FLAG_AGENT_OWNED.rawValue | NM_SETTING_SECRET_FLAG_NOT_SAVED.rawValue
        return nm_setting_wireless_security_get_psk_flags(setting).rawValue & elsewhere == 0
    }

    /// Returns the time at which the profile was used last, in seconds since 1970; 0 for never.
    func lastUse(_ profile: OpaquePointer) -> UInt64 {
        guard let setting = nm_connection_get_setting_connection(profile) else { return 0 }
        return UInt64(nm_setting_connection_get_timestamp(setting))
    }

    func ssid(ofProfile profile: OpaquePointer) -> [UInt8]? {
        nm_connection_get_setting_wireless(profile).flatMap { nm_setting_wireless_get_ssid($0) }.map(bytes)
    }

    func addressLimit(_ active: GObjectReference) -> Duration {
        guard let profile = nm_active_connection_get_connection(active.pointer) else { return Self.defaultAddressLimit }
        let own = [nm_connection_get_setting_ip4_config(profile), nm_connection_get_setting_ip6_config(profile)].map {
            $0.map { Int(nm_setting_ip_config_get_dhcp_timeout($0)) } ?? 0
        }
        let limit = max(own[0] > 0 ? .seconds(own[0]) : Self.defaultAddressLimit, .seconds(own[1]))
        return min(limit, Self.longestAddressLimit)
    }

    /// The profiles of the network of that name, borrowed from the cache.
    func profiles(of name: [UInt8]) -> [OpaquePointer] {
        guard let client else { return [] }
        return pointers(nm_client_get_connections(client.pointer)).filter { ssid(ofProfile: $0) == name }
    }

    /// The interface that the profile is restricted to.
    func interface(_ profile: OpaquePointer) -> String? {
        nm_connection_get_interface_name(profile).map { String(cString: $0) }
    }

    /// The access point that the profile is restricted to.
    func bssid(_ profile: OpaquePointer) -> String? {
        nm_connection_get_setting_wireless(profile).flatMap { nm_setting_wireless_get_bssid($0) }.map {
            String(cString: $0).uppercased()
        }
    }

    func bssid(ofAccessPoint accessPoint: OpaquePointer) -> String? {
        nm_access_point_get_bssid(accessPoint).map { String(cString: $0).uppercased() }
    }

    /// The band that the profile is restricted to: "a" for 5 GHz, "bg" for 2.4 GHz.
    func band(_ profile: OpaquePointer) -> String? {
        nm_connection_get_setting_wireless(profile).flatMap { nm_setting_wireless_get_band($0) }.map {
            String(cString: $0)
        }
    }

    /// Whether Okaeri made the profile from the passphrase file.
    func isMadeFromFile(_ profile: OpaquePointer) -> Bool { okaeri_profile_is_from_file(profile) != 0 }

    /// Whether the profile was made here, and is not a copy of such a profile.
    func isMadeHere(_ profile: OpaquePointer) -> Bool { okaeri_profile_is_original(profile) != 0 }

    /// Whether the profile joins as a station, which is what a profile without a mode does.
    func isOfStation(_ profile: OpaquePointer) -> Bool {
        let mode = nm_connection_get_setting_wireless(profile).flatMap { nm_setting_wireless_get_mode($0) }
        return mode.map { String(cString: $0) == NM_SETTING_WIRELESS_MODE_INFRA } ?? true
    }

    /// Whether the profile opens a hotspot.
    func isOfAccessPoint(_ profile: OpaquePointer) -> Bool {
        let mode = nm_connection_get_setting_wireless(profile).flatMap { nm_setting_wireless_get_mode($0) }
        return mode.map { String(cString: $0) == NM_SETTING_WIRELESS_MODE_AP } ?? false
    }

    /// Whether the profile joins with WPA2 or WPA3 only.
    func isRobust(_ profile: OpaquePointer) -> Bool { security(ofProfile: profile).isRobust }

    /// Whether the profile agrees with one of `keys` and with nothing weaker.
    ///
    /// - Parameter isStrict: whether it must agree with nothing else.
    func fits(
        _ profile: OpaquePointer, _ keys: NetworkSecurity.KeyManagement, isStrict: Bool
    ) -> Bool {
        switch security(ofProfile: profile) {
        case .robust(let own): isStrict ? own.isSubset(of: keys) : !own.isDisjoint(with: keys)
        case .weak: false
        }
    }

    func hasUsedSAE(_ name: [UInt8]) -> Bool {
        profiles(of: name).contains { profile in
            lastUse(profile) > 0 && security(ofProfile: profile) == .robust(.sae)
        }
    }

    /// Returns the name of a profile for that network that joins with less than required, and what it joins with.
    ///
    /// - Parameter needsSAE: whether WPA2 is less than required.
    func unsecuredProfile(_ name: [UInt8], needsSAE: Bool) -> (profile: String, security: WeakSecurity)? {
        for profile in profiles(of: name) {
            switch security(ofProfile: profile) {
            case .weak(let security): return (id(profile), security)
            case .robust(let keys) where needsSAE && keys.contains(.psk): return (id(profile), .wpa2)
            case .robust: continue
            }
        }
        return nil
    }

    /// Deletes a new profile whose join failed. One that NetworkManager does not show in time is deleted when it does.
    func forget(_ uuid: String) async {
        failedProfiles.insert(uuid)
        await wait(until: .now + Self.deleteLimit) { !isManagerRunning || find(uuid) != nil }
        await deleteFailedProfiles()
    }

    private func find(_ uuid: String) -> OpaquePointer? {
        client.flatMap { nm_client_get_connection_by_uuid($0.pointer, uuid) }
    }

    /// Deletes what failed joins have left behind, as far as NetworkManager shows it.
    func deleteFailedProfiles() async {
        for uuid in failedProfiles {
            guard isManagerRunning, let found = find(uuid) else { continue }
            // The network has accepted the passphrase after all. To delete the profile now would end the connection, or the
            // request for an address.
            guard !isAccepted(withProfile: uuid) else {
                failedProfiles.remove(uuid)
                continue
            }
            let profile = GObjectReference(sharing: found)
            let deleted = await call(within: Self.deleteLimit, endsWithService: false) { cancellable, callback, data in
                nm_remote_connection_delete_async(profile.pointer, cancellable, callback, data)
            } finish: { source, result, error in
                nm_remote_connection_delete_finish(source, result, error) != 0 ? true : nil
            }
            if case .success = deleted { failedProfiles.remove(uuid) }
        }
    }

    private func security(ofProfile profile: OpaquePointer) -> NetworkSecurity {
        guard let setting = nm_connection_get_setting_wireless_security(profile) else {
            return NetworkSecurity(keyManagement: nil, protocols: [], ciphers: [])
        }
        let protocols = (0..<nm_setting_wireless_security_get_num_protos(setting)).compactMap {
            nm_setting_wireless_security_get_proto(setting, $0).map { String(cString: $0) }
        }
        let ciphers = (0..<nm_setting_wireless_security_get_num_pairwise(setting)).compactMap {
            nm_setting_wireless_security_get_pairwise(setting, $0).map { String(cString: $0) }
        }
        return NetworkSecurity(
            keyManagement: nm_setting_wireless_security_get_key_mgmt(setting).map { String(cString: $0) } ?? "none",
            protocols: protocols, ciphers: ciphers)
    }
}

extension NetworkSecurity {
    /// The protection of a connection by a profile of NetworkManager, from its `802-11-wireless-security` setting.
    ///
    /// - Parameters:
    ///   - keyManagement: `key-mgmt`; nil if the profile has no such setting.
    ///   - protocols: `proto`; empty for both.
    ///   - ciphers: `pairwise`; empty for all.
    init(keyManagement: String?, protocols: [String], ciphers: [String]) {
        let isOld =
            (!protocols.isEmpty && !protocols.contains("rsn")) || (!ciphers.isEmpty && !ciphers.contains("ccmp"))
        switch keyManagement {
        case nil, "":
            self = .weak(.open)
        case "owe":
            self = .weak(.enhancedOpen)
        // NetworkManager lets a WPA2 profile use SAE as well, where the access point has it.
        case "wpa-psk":
            self = isOld ? .weak(.wpa) : .robust([.psk, .sae])
        case "sae":
            self = isOld ? .weak(.wpa) : .robust(.sae)
        case "wpa-eap":
            self = isOld ? .weak(.wpa) : .robust(.enterprise)
        case "wpa-eap-suite-b-192":
            self = .robust(.enterprise)
        // "none" and "ieee8021x" are WEP; what is not known is not trusted.
        default:
            self = .weak(.wep)
        }
    }
}
