extension CaptureReader {
    func btsnoopLink(in bytes: RawSpan, at position: Int, magic: UInt32) throws(CaptureError) -> CaptureLink {
        guard ByteOrder.big.load(UInt64.self, from: bytes, at: position) == Btsnoop.identification else {
            throw error(.notACapture(magic: magic))
        }
        let version = ByteOrder.big.load(UInt32.self, from: bytes, at: position + 8)
        guard version == Btsnoop.version else {
            throw error(.unknownVersion(.btsnoop, major: version, minor: 0))
        }
        let number = ByteOrder.big.load(UInt32.self, from: bytes, at: position + 12)
        guard let dataLink = Btsnoop.DataLink(rawValue: number) else {
            throw error(.unknownDataLink(number))
        }
        return CaptureLink(dataLink)
    }

    @inline(__always)
    mutating func nextBtsnoop(
        _ link: CaptureLink, in bytes: RawSpan, at position: inout Int
    ) throws(CaptureError) -> CaptureStep {
        let order = ByteOrder.big
        while true {
            let available = bytes.byteCount - position
            guard available >= Btsnoop.recordHeaderLength else { return needsMore(Btsnoop.recordHeaderLength) }

            let included = order.load(UInt32.self, from: bytes, at: position + 4)
            guard included <= UInt32(Self.maximumRecordLength) else { throw error(.recordTooLong(included)) }
            let length = Btsnoop.recordHeaderLength + Int(included)
            guard available >= length else { return needsMore(length) }

            let packet = link.packet(
                in: bytes, record: position + Btsnoop.recordHeaderLength..<position + length,
                flags: order.load(UInt32.self, from: bytes, at: position + 8),
                time: Btsnoop.nanoseconds(order.load(Int64.self, from: bytes, at: position + 16)),
                offset: offset)
            advance(&position, by: length)
            if let packet { return .packet(packet) }
            skipped.otherRecords += 1
        }
    }
}
