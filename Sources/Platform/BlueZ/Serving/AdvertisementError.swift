/// The reason why something cannot be advertised.
public enum AdvertisementError: Error, Sendable, Hashable, CustomStringConvertible {
    /// All but the name takes so many bytes, and 31 fit.
    case tooLong(byteCount: Int)
    /// The name takes more than 29 bytes.
    case nameTooLong(String)
    /// The kernel does not take it; the reason is a sentence.
    case notAccepted(reason: String)

    /// The part that is too long, and the remedy.
    public var description: String {
        switch self {
        case .tooLong(let count):
            "the advertisement is too long: it has \(count) bytes, and \(Advertisement.longest) fit; leave something out"
        case .nameTooLong(let name):
            "the name \"\(name)\" is too long: it has \(name.utf8.count) bytes, and \(Advertisement.longest - 2) fit; choose "
                + "a shorter one"
        case .notAccepted(let reason): reason
        }
    }
}
