/// Which address the scanner itself uses (Vol 4, Part E, Section 7.8.10).
public enum OwnAddressType: UInt8, Hashable, Sendable {
    case `public` = 0x00
    case random = 0x01
    case resolvableOrPublic = 0x02
    case resolvableOrRandom = 0x03

    init(decoding value: UInt8) throws(HCIDecodingError) {
        guard let type = OwnAddressType(rawValue: value) else {
            throw .invalidValue(field: "own address type", value: Int(value), allowed: "0 to 3")
        }
        self = type
    }
}
