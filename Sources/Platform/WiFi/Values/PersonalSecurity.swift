/// The proof by which both sides of a home network show that they have the passphrase.
public enum PersonalSecurity: String, Hashable, Sendable, CaseIterable {
    /// WPA2-Personal. An imitation of the network gets a handshake from which its operator can guess the passphrase offline.
    case wpa2

    /// WPA3-Personal (SAE) and nothing less. An imitation learns nothing.
    case wpa3
}
