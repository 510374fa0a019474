extension CaptureReader {
    /// The number of first bytes that identify the format.
    static let magicLength = 4

    /// Recognises the format and reads the header of the file.
    ///
    /// - Returns: The step to take if the start is incomplete.
    mutating func start(in bytes: RawSpan, at position: inout Int) throws(CaptureError) -> CaptureStep? {
        let available = bytes.byteCount - position
        guard available >= Self.magicLength else { return needsMore(Self.magicLength) }

        let magic = ByteOrder.big.load(UInt32.self, from: bytes, at: position)
        if magic == UInt32(truncatingIfNeeded: Btsnoop.identification >> 32) {
            guard available >= Btsnoop.headerLength else { return needsMore(Btsnoop.headerLength) }
            let link = try btsnoopLink(in: bytes, at: position, magic: magic)
            begin(.btsnoop, .btsnoop(link))
            advance(&position, by: Btsnoop.headerLength)
        } else if let (order, fraction) = PcapHeader.recognise(magic) {
            guard available >= PcapHeader.length else { return needsMore(PcapHeader.length) }
            let header = try pcapHeader(in: bytes, at: position, order: order, fraction: fraction)
            begin(.pcap, .pcap(header))
            advance(&position, by: PcapHeader.length)
        } else if magic == PcapngSection.header {
            // The section's header is a block like those that follow, and is read as one.
            begin(.pcapng, .pcapng)
        } else {
            throw error(.notACapture(magic: magic))
        }
        return nil
    }

    private mutating func begin(_ format: CaptureFormat, _ stage: Stage) {
        self.format = format
        self.stage = stage
    }
}
