/// The facts about a pcapng section that are needed to read its packets (draft-ietf-opsawg-pcapng, 4.1).
struct PcapngSection: Sendable {
    /// The type of a section's header block, the same in either byte order.
    static let header: UInt32 = 0x0A0D_0D0A

    /// Read in the section's byte order, this is what stands behind the header block's length.
    static let byteOrderMagic: UInt32 = 0x1A2B_3C4D

    /// A block's type, its length, and its length again at its end.
    static let shortestBlock: UInt32 = 12

    var order = ByteOrder.little

    /// The interfaces so far, numbered from 0.
    var interfaces: [Interface] = []

    /// The link type of the first interface in the file, or of the first packet that names its own, unless Bluetooth's has been
    /// among them.
    var onlyOtherLinkType: UInt32?

    var hasBluetooth = false

    /// The start of the block that is being skipped.
    var blockStart: UInt64 = 0

    /// The length that must stand at the end of the block that is being passed over.
    var trailer: UInt32?

    mutating func begin(_ order: ByteOrder) {
        self.order = order
        interfaces.removeAll(keepingCapacity: true)
    }

    mutating func add(linkType: UInt32, clock: CaptureClock) {
        let link = CaptureLink(linkType: linkType)
        interfaces.append(Interface(link: link, clock: clock))
        switch link {
        case nil: foundOther(linkType)
        // Its packets name their link type.
        case .air(.perPacketInformation): break
        default: foundBluetooth()
        }
    }

    mutating func foundBluetooth() {
        hasBluetooth = true
        onlyOtherLinkType = nil
    }

    mutating func foundOther(_ linkType: UInt32) {
        if !hasBluetooth, onlyOtherLinkType == nil { onlyOtherLinkType = linkType }
    }
}

extension PcapngSection {
    /// A source of packets and the format of its packets.
    struct Interface: Sendable {
        /// Nil if its packets are not Bluetooth's.
        let link: CaptureLink?
        let clock: CaptureClock
    }

    /// The blocks that are read; all others are passed over.
    enum Block: UInt32 {
        case interface = 1
        case obsoletePacket = 2
        case simplePacket = 3
        case enhancedPacket = 6
        case section = 0x0A0D_0D0A
    }
}

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
