/// Whose adverts the controller passes on (Vol 4, Part E, Section 7.8.10).
public enum ScanFilterPolicy: UInt8, Hashable, Sendable {
    case everyone = 0x00
    case acceptListOnly = 0x01
    case everyoneResolvingDirected = 0x02
    case acceptListOnlyResolvingDirected = 0x03

    /// Whether devices that nobody listed are heard.
    public var hearsStrangers: Bool {
        switch self {
        case .everyone, .everyoneResolvingDirected: true
        case .acceptListOnly, .acceptListOnlyResolvingDirected: false
        }
    }

    init(decoding value: UInt8) throws(HCIDecodingError) {
        guard let policy = ScanFilterPolicy(rawValue: value) else {
            throw .invalidValue(field: "scan filter policy", value: Int(value), allowed: "0 to 3")
        }
        self = policy
    }
}
