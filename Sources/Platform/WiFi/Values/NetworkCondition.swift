public enum NetworkCondition: Hashable, Sendable {
    /// A device is already connected to it, with WPA2 or WPA3.
    case alreadyConnected

    /// It is in sight, secured, and there is something to join it with.
    case ready(via: Credentials)

    /// It cannot be joined now.
    case unavailable(JoinFailure)

    public enum Credentials: String, Hashable, Sendable {
        case savedProfile

        /// The passphrase file; a profile is made of it.
        case passphraseFile
    }
}
