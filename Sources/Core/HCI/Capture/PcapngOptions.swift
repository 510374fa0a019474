/// The options at the end of a pcapng block: code, length, value, padded to 32 bits (draft-ietf-opsawg-pcapng, 3.5).
enum PcapngOptions {
    /// if_tsresol, in an interface: the unit of its time stamps.
    static let timeResolution: UInt16 = 9

    /// if_tsoffset, in an interface: seconds to be added to its time stamps.
    static let timeOffset: UInt16 = 14

    /// epb_flags, in a packet: the two lowest bits give the direction.
    static let packetFlags: UInt16 = 2

    /// Returns the range of the value of option `code` if the option is present and `length` bytes long.
    ///
    /// - Parameter range: the options, to the end of the block's body.
    /// - Throws: ``CaptureError/Reason/optionTooLong(_:)`` if an option does not end within the block.
    static func find(
        _ code: UInt16, length: Int, in bytes: RawSpan, _ range: Range<Int>, _ order: ByteOrder
    ) throws(CaptureError.Reason) -> Int? {
        var position = range.lowerBound
        while range.upperBound - position >= 4 {
            let found = order.load(UInt16.self, from: bytes, at: position)
            let count = order.load(UInt16.self, from: bytes, at: position + 2)
            // opt_endofopt; some writers leave it out.
            if found == 0 { return nil }
            guard Int(count) <= range.upperBound - position - 4 else { throw .optionTooLong(found) }
            if found == code, Int(count) == length { return position + 4 }
            position += 4 + (Int(count) + 3) & ~3
        }
        return nil
    }
}
