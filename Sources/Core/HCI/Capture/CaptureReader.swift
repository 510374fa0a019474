/// Reads the HCI packets of a capture in pieces. The first bytes distinguish btsnoop, pcap and pcapng.
///
/// The caller owns the bytes and the reading: it keeps a buffer of at least ``largestNeed`` bytes, calls
/// ``next(in:at:)`` until that needs more, moves what is left from the position on to the front, reads on, and at the
/// end of the file calls ``finish(remaining:)``. A packet is a range of the buffer; nothing is copied.
///
/// What is in a capture but is no HCI packet is passed over and counted in ``skipped``. After an error the reader stays
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
    /// - Throws: ``CaptureError`` for what is no capture, holds no Bluetooth, or is damaged, after the packets before.
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
