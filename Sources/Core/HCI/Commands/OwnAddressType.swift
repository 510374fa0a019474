/// The type of address that the scanner itself uses (Vol 4, Part E, Section 7.8.10).
public enum OwnAddressType: UInt8, Hashable, Sendable {
    /// The adapter's public address.
    case `public` = 0x00

    /// The address that LE Set Random Address has set.
    case random = 0x01

    /// A resolvable private address the controller makes; the public one where it has no key for it.
    case resolvableOrPublic = 0x02

    /// A resolvable private address the controller makes; the random one where it has no key for it.
    case resolvableOrRandom = 0x03

    init(decoding value: UInt8) throws(HCIDecodingError) {
        guard let type = OwnAddressType(rawValue: value) else {
            throw .invalidValue(field: "own address type", value: Int(value), allowed: "0 to 3")
        }
        self = type
    }
}
