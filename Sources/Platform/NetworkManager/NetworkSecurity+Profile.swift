import WiFi

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
