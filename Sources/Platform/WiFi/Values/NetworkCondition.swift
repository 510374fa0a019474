/// Whether a network can be joined now.
public enum NetworkCondition: Hashable, Sendable {
    /// A device is already connected to it, with WPA2 or WPA3.
    case alreadyConnected

    /// It is in sight, secured, and there is something to join it with.
    case ready(via: Credentials)

    /// It cannot be joined now.
    case unavailable(JoinFailure)

    /// The credentials of a join.
    public enum Credentials: String, Hashable, Sendable {
        /// A profile NetworkManager has.
        case savedProfile

        /// The passphrase file; a profile is made of it.
        case passphraseFile
    }
}
