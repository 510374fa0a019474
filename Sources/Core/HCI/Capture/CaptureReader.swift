/// Reads the HCI packets of a capture in pieces. The first bytes distinguish btsnoop, pcap and pcapng.
///
/// The caller owns the bytes and the reading: it keeps a buffer of at least ``largestNeed`` bytes, calls
/// ``next(in:at:)`` until that needs more, moves what is left from the position on to the front, reads on, and at the
/// end of the file calls ``finish(remaining:)``. A packet is a range of the buffer; nothing is copied.
///
/// What is in a capture but is not an HCI packet is passed over and counted in ``skipped``. After an error the reader stays
/// where it is, and throws the same again.
public struct CaptureReader: Sendable {
    /// The longest record that is read: pseudo-header 4, H4 packet type 1, ACL header 4, and the 65,535 bytes that its
    /// 16-bit length can announce (Bluetooth Core Specification, Vol 4, Part E, 5.4.2), the most HCI has.
    public static let maximumRecordLength = 4 + 1 + 4 + 65_535

    /// The longest pcapng block that is read as a whole, as interfaces and Bluetooth packets are: the longest packet
    /// with its options, and what tcpdump and Wireshark allow a packet. Blocks that are passed over may be longer.
    public static let maximumBlockLength = 262_144

    /// The maximum number of interfaces in a pcapng section. They are kept while it is read.
    public static let maximumInterfaces = 4_096

    /// The most that ``CaptureStep/needsMore(_:)`` ever asks for: a buffer of this size is always enough.
    public static let largestNeed = maximumBlockLength

    /// The format, nil until the first bytes have come.
    public internal(set) var format: CaptureFormat?

    /// The reader's position in the file, in bytes.
    public private(set) var offset: UInt64 = 0

    /// The records that were skipped.
    public internal(set) var skipped = Skipped()

    var stage = Stage.start
    var section = PcapngSection()

    /// Bytes still to be passed over, which may be more than any buffer holds.
    private var passing: UInt64 = 0

    /// The number of bytes that the last step requested.
    private var need = 0

    /// Starts at the first byte of a capture.
    public init() {}

    /// The next packet, or how many bytes it takes to get on.
    ///
    /// - Parameters:
    ///   - bytes: The bytes that were read from the file and not removed.
    ///   - position: The position in `bytes` at which the reader goes on; it is moved behind what was read.
    /// - Throws: ``CaptureError`` for what is not a capture, holds no Bluetooth, or is damaged, after the packets before.
    public mutating func next(in bytes: RawSpan, at position: inout Int) throws(CaptureError) -> CaptureStep {
        need = 0
        switch stage {
        case .start:
            if let step = try start(in: bytes, at: &position) { return step }
            return try next(in: bytes, at: &position)
        case .btsnoop(let link): return try nextBtsnoop(link, in: bytes, at: &position)
        case .pcap(let header): return try nextPcap(header, in: bytes, at: &position)
        case .pcapng: return try nextPcapng(in: bytes, at: &position)
        }
    }

    /// Distinguishes a file that ends with a whole record from one that is cut.
    ///
    /// - Parameter remaining: The number of bytes left from the position on when the file ended.
    /// - Throws: ``CaptureError`` if the file is cut, too short, or held only other packets than Bluetooth's.
    public func finish(remaining: Int) throws(CaptureError) {
        if case .start = stage, remaining < Self.magicLength {
            throw error(.tooShort(bytes: remaining))
        }
        if section.trailer != nil {
            // The length at the end of the block is missing too.
            let missing = passing + 4 - min(passing + 4, UInt64(clamping: remaining))
            throw CaptureError(offset: section.blockStart, reason: .cut(missing: missing))
        }
        if remaining > 0, need > remaining {
            throw error(.cut(missing: UInt64(need - remaining)))
        }
        if let linkType = section.onlyOtherLinkType, skipped.otherLinkTypes > 0 {
            throw error(.noBluetooth(linkType: linkType))
        }
    }
}

extension CaptureReader {
    /// The kind of bytes at the position.
    enum Stage: Sendable {
        case start
        case btsnoop(CaptureLink)
        case pcap(PcapHeader)
        case pcapng
    }

    /// Asks for bytes, and remembers how many for ``finish(remaining:)``.
    @inline(__always)
    mutating func needsMore(_ count: Int) -> CaptureStep {
        need = count
        return .needsMore(count)
    }

    /// Moves behind `count` bytes that are there.
    @inline(__always)
    mutating func advance(_ position: inout Int, by count: Int) {
        position += count
        offset += UInt64(count)
    }

    /// Passes over `count` bytes, there or not. They count as part of the block that `section.blockStart` names.
    mutating func pass(_ count: UInt64) {
        passing = count
    }

    /// Passes over as many of the announced bytes as there are.
    ///
    /// - Returns: The step to take if the bytes are incomplete.
    mutating func passOver(in bytes: RawSpan, at position: inout Int) -> CaptureStep? {
        guard passing > 0 else { return nil }
        let there = Int(min(passing, UInt64(max(0, bytes.byteCount - position))))
        advance(&position, by: there)
        passing -= UInt64(there)
        return passing > 0 ? needsMore(1) : nil
    }

    func error(_ reason: CaptureError.Reason) -> CaptureError {
        CaptureError(offset: offset, reason: reason)
    }
}

/// The result of ``CaptureReader/next(in:at:)``.
public enum CaptureStep: Hashable, Sendable {
    /// A packet; the position stands behind it.
    case packet(CapturePacket)

    /// The number of bytes, counted from the position, that are needed: at most ``CaptureReader/largestNeed``.
    case needsMore(Int)
}

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

extension CaptureReader {
    /// The number of a capture's records that were skipped, by reason.
    public struct Skipped: Hashable, Sendable {
        /// Packets of interfaces that are not Bluetooth's.
        public internal(set) var otherLinkTypes = 0

        /// Records without an HCI packet: the monitor's notes, unknown packet types, empty ones.
        public internal(set) var otherRecords = 0

        /// pcapng's simple packets: they bear no time, and without it nothing can be replayed.
        public internal(set) var withoutTime = 0
    }
}

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
    /// - Returns: nil if the block holds no HCI packet.
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
        let found = link.packet(
            in: bytes, record: position + 28..<end, flags: 0,
            time: interface.clock.nanoseconds(UInt64(high) << 32 | UInt64(low)), offset: offset)
        let options = end + (-Int(captured) & 3)..<position + Int(length) - 4
        let stated = found?.direction == nil && !options.isEmpty ? try direction(in: bytes, options) : nil
        advance(&position, by: Int(length))
        guard let found else {
            skipped.otherRecords += 1
            return nil
        }
        return .packet(found.directed(stated))
    }

    /// Returns the direction in a packet's flags (draft-ietf-opsawg-pcapng, 4.3.1): inbound is from the controller.
    private func direction(
        in bytes: RawSpan, _ options: Range<Int>
    ) throws(CaptureError) -> CapturePacket.Direction? {
        do throws(CaptureError.Reason) {
            let at = try PcapngOptions.find(PcapngOptions.packetFlags, length: 4, in: bytes, options, section.order)
            guard let at else { return nil }
            switch section.order.load(UInt32.self, from: bytes, at: at) & 3 {
            case 1: return .controllerToHost
            case 2: return .hostToController
            default: return nil
            }
        } catch {
            throw self.error(error)
        }
    }
}

extension CapturePacket {
    /// The same packet, with a direction if it had none.
    fileprivate func directed(_ stated: Direction?) -> CapturePacket {
        CapturePacket(
            time: time, kind: kind, direction: direction ?? stated, adapter: adapter, payload: payload, offset: offset)
    }
}
