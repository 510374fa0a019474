import Plumbing

/// LE Set Event Mask: which LE Meta events the controller may send (Vol 4, Part E, Section 7.8.1).
public struct LESetEventMask: HCICommandParameters {
    public static let opcode = HCIOpcode.leSetEventMask

    /// The bit for LE Advertising Report.
    public static let advertisingReport: UInt64 = 1 << 1

    /// The bit for LE Extended Advertising Report.
    public static let extendedAdvertisingReport: UInt64 = 1 << 12

    /// One bit a subevent, the first subevent is bit 0.
    public var mask: UInt64

    /// A mask as it is sent; a bit that is set lets its event through.
    public init(mask: UInt64) {
        self.mask = mask
    }

    /// Reads the mask, 8 bytes, least significant first; throws `truncated` when they are fewer.
    public init(parameters: RawSpan) throws(HCIDecodingError) {
        var reader = ByteReader(parameters)
        mask = try reader.integer()
    }

    public func encode(into bytes: inout [UInt8]) {
        bytes.append(littleEndian: mask)
    }
}
