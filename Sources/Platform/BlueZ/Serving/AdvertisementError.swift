/// The reason why something cannot be advertised.
public enum AdvertisementError: Error, Sendable, Hashable, CustomStringConvertible {
    /// All but the name takes so many bytes, and 31 fit.
    case tooLong(byteCount: Int)
    /// The name takes more than 29 bytes.
    case nameTooLong(String)

    /// The part that is too long, and the remedy.
    public var description: String {
        switch self {
        case .tooLong(let count):
            "an advertisement holds \(Advertisement.longest) bytes, and this one has \(count): leave something out"
        case .nameTooLong(let name):
            "\"\(name)\" takes \(name.utf8.count) bytes, and \(Advertisement.longest - 2) fit: choose a shorter name"
        }
    }
}
