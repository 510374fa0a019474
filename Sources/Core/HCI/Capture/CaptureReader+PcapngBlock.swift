extension CaptureReader {
    /// The length of the block at the position, which counts its header and its trailer.
    func blockLength(
        in bytes: RawSpan, at position: Int, atLeast shortest: UInt32 = PcapngSection.shortestBlock
    ) throws(CaptureError) -> UInt32 {
        let length = section.order.load(UInt32.self, from: bytes, at: position + 4)
        guard length >= shortest, length % 4 == 0 else {
            throw error(.badBlockLength(length, shortest: shortest))
        }
        return length
    }

    /// Checks that a block that is read as a whole may be that long, is there, and ends with the length it starts with.
    ///
    /// - Returns: The step to take if the block is incomplete.
    mutating func wholeBlock(
        _ length: UInt32, in bytes: RawSpan, at position: Int
    ) throws(CaptureError) -> CaptureStep? {
        guard length <= UInt32(Self.maximumBlockLength) else { throw error(.blockTooLong(length)) }
        guard bytes.byteCount - position >= Int(length) else { return needsMore(Int(length)) }
        let trailer = section.order.load(UInt32.self, from: bytes, at: position + Int(length) - 4)
        guard trailer == length else { throw error(.blockLengthsDiffer(length, trailer)) }
        return nil
    }

    /// Passes over the block at the position, there or not.
    mutating func passBlock(of length: UInt32) {
        section.blockStart = offset
        section.trailer = length
        pass(UInt64(length) - 4)
    }

    /// Gets to the end of the block that is being passed over, if there is one.
    ///
    /// - Returns: The step to take if the end is missing.
    mutating func endBlock(in bytes: RawSpan, at position: inout Int) throws(CaptureError) -> CaptureStep? {
        guard let expected = section.trailer else { return nil }
        if let step = passOver(in: bytes, at: &position) { return step }
        guard bytes.byteCount - position >= 4 else { return needsMore(4) }
        let trailer = section.order.load(UInt32.self, from: bytes, at: position)
        guard trailer == expected else {
            throw CaptureError(offset: section.blockStart, reason: .blockLengthsDiffer(expected, trailer))
        }
        section.trailer = nil
        advance(&position, by: 4)
        return nil
    }
}
