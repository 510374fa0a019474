import Plumbing

/// Set Event Mask: which events the controller may send (Vol 4, Part E, Section 7.3.1).
public struct SetEventMask: HCICommandParameters {
    public static let opcode = HCIOpcode.setEventMask

    /// The bit that lets LE Meta events through.
    public static let leMeta: UInt64 = 1 << 61

    /// One bit an event.
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
