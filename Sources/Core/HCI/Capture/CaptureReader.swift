/// Reads the HCI packets of a capture in pieces, or the advertisements of a sniffer's capture. The first bytes distinguish
/// btsnoop, pcap, pcapng and PacketLogger.
///
/// The caller owns the bytes and the reading: it keeps a buffer of at least ``largestNeed`` bytes, calls
/// ``next(in:at:)`` until that needs more, moves what is left from the position on to the front, reads on, and at the
/// end of the file calls ``inputEnded()``, ``next(in:at:)`` for what is left, and ``finish(remaining:)``. A packet is a range of the buffer; nothing is copied. An advertisement that a
/// sniffer received becomes the event with which a controller reports it, ``advertisement``.
///
/// What is in a capture but is neither is passed over and counted in ``skipped``. After an error the reader stays
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

    /// The event of the last ``CaptureStep/advertisement(_:)``, from its event code on: an LE Advertising Report for a legacy
    /// PDU, an LE Extended Advertising Report for another one. Long data comes in several reports, as from a controller.
    public internal(set) var advertisement: [UInt8] = []

    /// The extended advertisements of a sniffer, of which some come in several packets.
    private var chains = AirChains()

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
        if let step = finishedAdvertisement() { return step }
        switch stage {
        case .start:
            if let step = try start(in: bytes, at: &position) { return step }
            return try next(in: bytes, at: &position)
        case .btsnoop(let link): return try nextBtsnoop(link, in: bytes, at: &position)
        case .pcap(let header): return try nextPcap(header, in: bytes, at: &position)
        case .pcapng: return try nextPcapng(in: bytes, at: &position)
        case .packetLogger(let order): return try nextPacketLogger(order, in: bytes, at: &position)
        }
    }

    /// Handles that the last bytes of the file were read: ``next(in:at:)`` returns what waits for packets that do not come.
    public mutating func inputEnded() { chains.end() }

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
        case packetLogger(ByteOrder)
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

    /// An advertisement of a sniffer's capture, whose event is ``CaptureReader/advertisement``; the position stands behind it.
    case advertisement(CapturedAdvertisement)

    /// The number of bytes, counted from the position, that are needed: at most ``CaptureReader/largestNeed``.
    case needsMore(Int)
}

/// An advertisement that a sniffer received over the air.
public struct CapturedAdvertisement: Hashable, Sendable {
    /// The time of reception: nanoseconds since the Unix epoch, as ``CapturePacket/time``.
    public let time: Int64

    /// The start of its record in the file, in bytes.
    public let offset: UInt64
}

extension CaptureReader {
    /// Reads a whole record.
    ///
    /// - Returns: nil if the record is passed over, because it holds neither an HCI packet nor an advertisement.
    @inline(__always)
    mutating func step(
        _ link: CaptureLink, in bytes: RawSpan, record: Range<Int>, flags: UInt32, time: Int64
    ) -> CaptureStep? {
        if case .air(let air) = link { return advertisement(of: air, in: bytes, record, time: time) }
        if let packet = link.packet(in: bytes, record: record, flags: flags, time: time, offset: offset) {
            return .packet(packet)
        }
        skipped.otherRecords += 1
        return nil
    }

    private mutating func advertisement(
        of link: AirLink, in bytes: RawSpan, _ record: Range<Int>, time: Int64
    ) -> CaptureStep? {
        let content = link.content(of: bytes, record)
        if case .otherLinkType(let linkType) = content {
            section.foundOther(linkType)
            skipped.otherLinkTypes += 1
            return nil
        }
        section.foundBluetooth()
        chains.advance(to: time)
        switch content {
        case .advertisement(let event):
            chains.append(event, CapturedAdvertisement(time: time, offset: offset))
        case .part(let part):
            if !chains.received(part, at: time, offset: offset) { skipped.otherRecords += 1 }
        case .wrongChecksum: skipped.wrongChecksums += 1
        case .other, .otherLinkType: skipped.otherRecords += 1
        }
        return finishedAdvertisement()
    }

    private mutating func finishedAdvertisement() -> CaptureStep? {
        guard let finished = chains.popFirst() else { return nil }
        advertisement = finished.event
        return .advertisement(finished.place)
    }
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
        } else if let order = PacketLogger.order(magic) {
            guard available >= PacketLogger.headerLength else { return needsMore(PacketLogger.headerLength) }
            guard PacketLogger.isRecord(in: bytes, at: position, order) else { throw error(.notACapture(magic: magic)) }
            begin(.packetLogger, .packetLogger(order))
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
        /// Packets of interfaces, or within a sniffer's header, that are not Bluetooth's.
        public internal(set) var otherLinkTypes = 0

        /// Records without an HCI packet: the monitor's notes, unknown packet types, empty ones. Of a sniffer, the packets that
        /// are not advertisements.
        public internal(set) var otherRecords = 0

        /// Packets of a sniffer whose checksum is wrong.
        public internal(set) var wrongChecksums = 0

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

            let found = step(
                link, in: bytes, record: position + Btsnoop.recordHeaderLength..<position + length,
                flags: order.load(UInt32.self, from: bytes, at: position + 8),
                time: Btsnoop.nanoseconds(order.load(Int64.self, from: bytes, at: position + 16)))
            advance(&position, by: length)
            if let found { return found }
        }
    }
}
