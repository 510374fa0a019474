/// How a network of a home proves that both sides have the passphrase.
public enum PersonalSecurity: String, Hashable, Sendable, CaseIterable {
    /// WPA2-Personal. Whoever imitates the network gets a handshake to guess the passphrase from, without further contact.
    case wpa2

    /// WPA3-Personal (SAE) and nothing less. An imitation learns nothing.
    case wpa3
}
