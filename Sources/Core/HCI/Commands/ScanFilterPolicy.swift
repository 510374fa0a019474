/// The advertisements that the controller reports (Vol 4, Part E, Section 7.8.10).
public enum ScanFilterPolicy: UInt8, Hashable, Sendable {
    /// All advertisements except those directed at another device.
    case everyone = 0x00

    /// Advertisements of devices in the Filter Accept List, except those directed at another device.
    case acceptListOnly = 0x01

    /// All adverts, also those directed at a resolvable private address, which the host may resolve.
    case everyoneResolvingDirected = 0x02

    /// Adverts of devices in the Filter Accept List, also those directed at a resolvable private address.
    case acceptListOnlyResolvingDirected = 0x03

    /// Whether the controller reports devices that are not in the list.
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
