extension CaptureReader {
    /// Checks the header of a pcap file, all of which is there.
    func pcapHeader(
        in bytes: RawSpan, at position: Int, order: ByteOrder, fraction: Int64
    ) throws(CaptureError) -> PcapHeader {
        let major = order.load(UInt16.self, from: bytes, at: position + 4)
        let minor = order.load(UInt16.self, from: bytes, at: position + 6)
        guard major == 2, minor == 4 else {
            throw error(.unknownVersion(.pcap, major: UInt32(major), minor: UInt32(minor)))
        }
        // The upper bits describe a frame check sequence, which HCI does not have.
        let linkType = order.load(UInt32.self, from: bytes, at: position + 20) & 0x03FF_FFFF
        guard let link = CaptureLink(linkType: linkType) else {
            throw error(.noBluetooth(linkType: linkType))
        }
        return PcapHeader(order: order, fraction: fraction, link: link)
    }

    mutating func nextPcap(
        _ header: PcapHeader, in bytes: RawSpan, at position: inout Int
    ) throws(CaptureError) -> CaptureStep {
        let order = header.order
        while true {
            let available = bytes.byteCount - position
            guard available >= PcapHeader.recordHeaderLength else { return needsMore(PcapHeader.recordHeaderLength) }

            let included = order.load(UInt32.self, from: bytes, at: position + 8)
            guard included <= UInt32(Self.maximumRecordLength) else { throw error(.recordTooLong(included)) }
            let length = PcapHeader.recordHeaderLength + Int(included)
            guard available >= length else { return needsMore(length) }

            // 32 bits of seconds and 32 of microseconds: 64 hold every sum in nanoseconds.
            let seconds = Int64(order.load(UInt32.self, from: bytes, at: position))
            let rest = Int64(order.load(UInt32.self, from: bytes, at: position + 4))
            let packet = header.link.packet(
                in: bytes, record: position + PcapHeader.recordHeaderLength..<position + length, flags: 0,
                time: seconds * 1_000_000_000 + rest * header.fraction, offset: offset)
            advance(&position, by: length)
            if let packet { return .packet(packet) }
            skipped.otherRecords += 1
        }
    }
}
