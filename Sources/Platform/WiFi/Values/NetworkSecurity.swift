/// The security of a network, as an access point announces it or a profile of NetworkManager requires it.
public enum NetworkSecurity: Hashable, Sendable {
    /// WPA2 or WPA3, with at least one way to prove that both sides know the key. Only these are joined.
    case robust(KeyManagement)

    /// Any protection that an attacker could set up or break under the same name.
    case weak(WeakSecurity)

    /// The ways to agree on a key that an access point with WPA2 or WPA3 offers.
    public struct KeyManagement: OptionSet, Hashable, Sendable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// WPA2-Personal: a passphrase, proved in the four-way handshake.
        public static let psk = KeyManagement(rawValue: 1 << 0)

        /// WPA3-Personal: a passphrase, proved by SAE.
        public static let sae = KeyManagement(rawValue: 1 << 1)

        /// WPA2- or WPA3-Enterprise: IEEE 802.1X.
        public static let enterprise = KeyManagement(rawValue: 1 << 2)
    }

    /// Whether it is protected as it must be to be joined.
    public var isRobust: Bool {
        switch self {
        case .robust: true
        case .weak: false
        }
    }

    /// Reads the three flag words of `org.freedesktop.NetworkManager.AccessPoint`.
    ///
    /// - Parameters:
    ///   - flags: `Flags`, NM80211ApFlags.
    ///   - wpa: `WpaFlags`, NM80211ApSecurityFlags of the WPA element.
    ///   - rsn: `RsnFlags`, NM80211ApSecurityFlags of the RSN element, which WPA2 and WPA3 announce.
    public init(flags: UInt32, wpa: UInt32, rsn: UInt32) {
        var keys: KeyManagement = []
        if rsn & Flag.keyPSK != 0 { keys.insert(.psk) }
        if rsn & Flag.keySAE != 0 { keys.insert(.sae) }
        if rsn & (Flag.key8021X | Flag.keySuiteB192) != 0 { keys.insert(.enterprise) }

        // An RSN element may still offer nothing but the ciphers of WPA. Newer ciphers (GCMP) have no flag at all.
        let oldCiphersOnly = rsn & (Flag.pairWEP | Flag.pairTKIP) != 0 && rsn & Flag.pairCCMP == 0

        if !keys.isEmpty {
            self = oldCiphersOnly ? .weak(.wpa) : .robust(keys)
        } else if rsn & (Flag.keyOWE | Flag.keyOWETransition) != 0 {
            self = .weak(.enhancedOpen)
        } else if wpa != 0 || rsn != 0 {
            self = .weak(.wpa)
        } else if flags & Flag.privacy != 0 {
            self = .weak(.wep)
        } else {
            self = .weak(.open)
        }
    }

    /// The bits of NM80211ApFlags and NM80211ApSecurityFlags that decide.
    private enum Flag {
        static let privacy: UInt32 = 0x1
        static let pairWEP: UInt32 = 0x1 | 0x2
        static let pairTKIP: UInt32 = 0x4
        static let pairCCMP: UInt32 = 0x8
        static let keyPSK: UInt32 = 0x100
        static let key8021X: UInt32 = 0x200
        static let keySAE: UInt32 = 0x400
        static let keyOWE: UInt32 = 0x800
        static let keyOWETransition: UInt32 = 0x1000
        static let keySuiteB192: UInt32 = 0x2000
    }
}

/// The security of an access point or a saved profile that is weaker than WPA2, in the order of protection.
public enum WeakSecurity: Hashable, Sendable, CaseIterable, Comparable {
    /// None: every device may join, and every radio in range can record the traffic.
    case open

    /// Encrypted without a proof of the access point's identity (OWE, "Enhanced Open").
    case enhancedOpen

    /// WEP, with a static key or with IEEE 802.1X: broken in minutes.
    case wep

    /// The first WPA, or its cipher TKIP.
    case wpa

    /// WPA2, for a network that has WPA3: an imitation of it would get a handshake to guess the passphrase from.
    case wpa2
}

extension WeakSecurity: CustomStringConvertible {
    public var description: String {
        switch self {
        case .open: "open"
        case .enhancedOpen: "Enhanced Open (OWE, without authentication)"
        case .wep: "WEP"
        case .wpa: "WPA1 (TKIP)"
        case .wpa2: "WPA2"
        }
    }
}

/// The proof by which both sides of a home network show that they have the passphrase.
public enum PersonalSecurity: String, Hashable, Sendable, CaseIterable {
    /// WPA2-Personal. An imitation of the network gets a handshake from which its operator can guess the passphrase offline.
    case wpa2

    /// WPA3-Personal (SAE) and nothing less. An imitation learns nothing.
    case wpa3
}
