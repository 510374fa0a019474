extension CaptureReader {
    mutating func nextPcapng(in bytes: RawSpan, at position: inout Int) throws(CaptureError) -> CaptureStep {
        while true {
            if let step = try endBlock(in: bytes, at: &position) { return step }

            // The shortest block is longer than the fields that identify a block.
            guard bytes.byteCount - position >= Int(PcapngSection.shortestBlock) else {
                return needsMore(Int(PcapngSection.shortestBlock))
            }
            switch PcapngSection.Block(rawValue: section.order.load(UInt32.self, from: bytes, at: position)) {
            case .section:
                if let step = try beginSection(in: bytes, at: &position) { return step }
            case .interface:
                if let step = try addInterface(in: bytes, at: &position) { return step }
            case .enhancedPacket:
                let interface = section.order.load(UInt32.self, from: bytes, at: position + 8)
                if let step = try packet(of: interface, in: bytes, at: &position) { return step }
            case .obsoletePacket:
                let interface = section.order.load(UInt16.self, from: bytes, at: position + 8)
                if let step = try packet(of: UInt32(interface), in: bytes, at: &position) { return step }
            case .simplePacket:
                passBlock(of: try blockLength(in: bytes, at: position, atLeast: 16))
                skipped.withoutTime += 1
            case nil:
                passBlock(of: try blockLength(in: bytes, at: position))
            }
        }
    }

    private mutating func beginSection(
        in bytes: RawSpan, at position: inout Int
    ) throws(CaptureError) -> CaptureStep? {
        guard bytes.byteCount - position >= 16 else { return needsMore(16) }
        let magic = ByteOrder.big.load(UInt32.self, from: bytes, at: position + 8)
        let order: ByteOrder
        switch magic {
        case PcapngSection.byteOrderMagic: order = .big
        case PcapngSection.byteOrderMagic.byteSwapped: order = .little
        default: throw error(.unknownByteOrder(magic))
        }
        let major = order.load(UInt16.self, from: bytes, at: position + 12)
        let minor = order.load(UInt16.self, from: bytes, at: position + 14)
        guard major == 1 else { throw error(.unknownVersion(.pcapng, major: UInt32(major), minor: UInt32(minor))) }
        section.begin(order)
        passBlock(of: try blockLength(in: bytes, at: position, atLeast: 28))
        return nil
    }

    private mutating func addInterface(
        in bytes: RawSpan, at position: inout Int
    ) throws(CaptureError) -> CaptureStep? {
        let length = try blockLength(in: bytes, at: position, atLeast: 20)
        if let step = try wholeBlock(length, in: bytes, at: position) { return step }
        guard section.interfaces.count < Self.maximumInterfaces else { throw error(.tooManyInterfaces) }

        let order = section.order
        let options = position + 16..<position + Int(length) - 4
        var clock = CaptureClock.microseconds
        do throws(CaptureError.Reason) {
            if let at = try PcapngOptions.find(PcapngOptions.timeResolution, length: 1, in: bytes, options, order) {
                clock = CaptureClock(resolution: order.load(UInt8.self, from: bytes, at: at))
            }
            if let at = try PcapngOptions.find(PcapngOptions.timeOffset, length: 8, in: bytes, options, order) {
                clock.offset = order.load(Int64.self, from: bytes, at: at)
            }
        } catch {
            throw self.error(error)
        }
        section.add(linkType: UInt32(order.load(UInt16.self, from: bytes, at: position + 8)), clock: clock)
        advance(&position, by: Int(length))
        return nil
    }
}
