/// Why something cannot be advertised.
public enum AdvertisementError: Error, Sendable, Hashable, CustomStringConvertible {
    case tooLong(byteCount: Int)
    case nameTooLong(String)

    public var description: String {
        switch self {
        case .tooLong(let count):
            "an advertisement holds \(Advertisement.longest) bytes, and this one has \(count): leave something out"
        case .nameTooLong(let name):
            "\"\(name)\" takes \(name.utf8.count) bytes, and \(Advertisement.longest - 2) fit: choose a shorter name"
        }
    }
}
