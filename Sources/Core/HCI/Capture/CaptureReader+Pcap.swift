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
        // The upper bits describe a frame check sequence, which neither HCI nor a sniffer's record has.
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
            let found = step(
                header.link, in: bytes, record: position + PcapHeader.recordHeaderLength..<position + length, flags: 0,
                time: seconds * 1_000_000_000 + rest * header.fraction)
            advance(&position, by: length)
            if let found { return found }
        }
    }
}

/// The header of a pcap file (draft-ietf-opsawg-pcap, 4), as far as it describes its records.
struct PcapHeader: Sendable {
    static let length = 24
    static let recordHeaderLength = 16

    let order: ByteOrder

    /// The unit of the second half of a time stamp, in nanoseconds.
    let fraction: Int64

    let link: CaptureLink

    /// The byte order and the unit of time that the first four bytes stand for, nil if they are not a pcap file's.
    static func recognise(_ magic: UInt32) -> (order: ByteOrder, fraction: Int64)? {
        switch magic {
        case 0xA1B2_C3D4: (.big, 1_000)
        case 0xD4C3_B2A1: (.little, 1_000)
        case 0xA1B2_3C4D: (.big, 1)
        case 0x4D3C_B2A1: (.little, 1)
        default: nil
        }
    }
}

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

extension CaptureReader {
    /// Reads an enhanced packet block, or an obsolete packet block: they differ only in how they number the interface.
    ///
    /// - Returns: nil if the block holds neither an HCI packet nor an advertisement.
    mutating func packet(
        of number: UInt32, in bytes: RawSpan, at position: inout Int
    ) throws(CaptureError) -> CaptureStep? {
        let length = try blockLength(in: bytes, at: position, atLeast: 32)
        guard number < UInt32(section.interfaces.count) else {
            throw error(.unknownInterface(number, of: section.interfaces.count))
        }
        let interface = section.interfaces[Int(number)]
        guard let link = interface.link else {
            passBlock(of: length)
            skipped.otherLinkTypes += 1
            return nil
        }
        if let step = try wholeBlock(length, in: bytes, at: position) { return step }

        let order = section.order
        let captured = order.load(UInt32.self, from: bytes, at: position + 20)
        guard captured <= UInt32(Self.maximumRecordLength) else { throw error(.recordTooLong(captured)) }
        guard captured <= length - 32 else { throw error(.recordBeyondBlock(captured, block: length)) }
        let high = order.load(UInt32.self, from: bytes, at: position + 12)
        let low = order.load(UInt32.self, from: bytes, at: position + 16)
        let end = position + 28 + Int(captured)
        let options = end + (-Int(captured) & 3)..<position + Int(length) - 4
        let flags = link.usesPacketFlags && !options.isEmpty ? try packetFlags(in: bytes, options) : PcapngPacketFlags()
        defer { advance(&position, by: Int(length)) }
        guard !flags.hasWrongChecksum else {
            skipped.wrongChecksums += 1
            return nil
        }
        let found = step(
            link, in: bytes, record: position + 28..<end, flags: 0,
            time: interface.clock.nanoseconds(UInt64(high) << 32 | UInt64(low)))
        guard case .packet(let packet) = found else { return found }
        return .packet(packet.directed(flags.direction))
    }

    private func packetFlags(
        in bytes: RawSpan, _ options: Range<Int>
    ) throws(CaptureError) -> PcapngPacketFlags {
        do throws(CaptureError.Reason) {
            let at = try PcapngOptions.find(PcapngOptions.packetFlags, length: 4, in: bytes, options, section.order)
            return PcapngPacketFlags(rawValue: at.map { section.order.load(UInt32.self, from: bytes, at: $0) } ?? 0)
        } catch {
            throw self.error(error)
        }
    }
}

/// The flags of a packet (draft-ietf-opsawg-pcapng, 4.3.1).
private struct PcapngPacketFlags {
    var rawValue: UInt32 = 0

    /// Inbound is from the controller.
    var direction: CapturePacket.Direction? {
        switch rawValue & 3 {
        case 1: .controllerToHost
        case 2: .hostToController
        default: nil
        }
    }

    /// The link layer's error of a wrong checksum.
    var hasWrongChecksum: Bool { rawValue & 1 << 24 != 0 }
}

extension CapturePacket {
    /// The same packet, with a direction if it had none.
    fileprivate func directed(_ stated: Direction?) -> CapturePacket {
        CapturePacket(
            time: time, kind: kind, direction: direction ?? stated, adapter: adapter, payload: payload, offset: offset)
    }
}
