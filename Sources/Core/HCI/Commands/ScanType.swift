/// Whether the scanner asks advertisers for more.
public enum ScanType: UInt8, Hashable, Sendable {
    /// Listens only, sends nothing.
    case passive = 0x00

    /// Asks scannable advertisers for their scan response.
    case active = 0x01

    init(decoding value: UInt8) throws(HCIDecodingError) {
        guard let type = ScanType(rawValue: value) else {
            throw .invalidValue(field: "scan type", value: Int(value), allowed: "0 (passive) or 1 (active)")
        }
        self = type
    }
}
