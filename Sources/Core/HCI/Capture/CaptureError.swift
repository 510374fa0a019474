import OkaeriPlumbing

/// The reason why a capture cannot be read, or not any further. All packets before that place have been handed out.
public struct CaptureError: Error, Hashable, Sendable {
    /// The position in the file, in bytes: the start of the faulty header, record or block.
    public let offset: UInt64

    /// The fault at that position.
    public let reason: Reason

    /// An error of what starts at `offset` bytes in the file.
    public init(offset: UInt64, reason: Reason) {
        self.offset = offset
        self.reason = reason
    }

    /// The faults of captures.
    public enum Reason: Error, Hashable, Sendable {
        /// The whole file has fewer bytes than identify a format.
        case tooShort(bytes: Int)

        /// The first four bytes, in their order, are those of no format that is read.
        case notACapture(magic: UInt32)

        /// The format is known, this version of it is not.
        case unknownVersion(CaptureFormat, major: UInt32, minor: UInt32)

        /// A btsnoop file holds something else than HCI packets.
        case unknownDataLink(UInt32)

        /// A pcap file, or every interface of a pcapng file, has a link type that is neither Bluetooth HCI's nor a sniffer's.
        case noBluetooth(linkType: UInt32)

        /// A record announces more than ``CaptureReader/maximumRecordLength`` bytes.
        case recordTooLong(UInt32)

        /// A PacketLogger record announces fewer bytes than the time and the type of its packet take.
        case recordTooShort(UInt32)

        /// A pcapng packet announces more bytes than its block holds.
        case recordBeyondBlock(UInt32, block: UInt32)

        /// A pcapng block's length is not a multiple of 4, or less than such a block takes.
        case badBlockLength(UInt32, shortest: UInt32)

        /// A pcapng block that must be read as a whole is longer than ``CaptureReader/maximumBlockLength``.
        case blockTooLong(UInt32)

        /// A pcapng block does not end with the length that it starts with.
        case blockLengthsDiffer(UInt32, UInt32)

        /// An option does not end within its pcapng block.
        case optionTooLong(UInt16)

        /// A pcapng section has an unknown byte order.
        case unknownByteOrder(UInt32)

        /// A pcapng packet names an interface that was not described before it; `of` were.
        case unknownInterface(UInt32, of: Int)

        /// A pcapng section describes more than ``CaptureReader/maximumInterfaces`` interfaces.
        case tooManyInterfaces

        /// The file ends in the middle: at least so many bytes are missing.
        case cut(missing: UInt64)
    }
}

extension CaptureError: CustomStringConvertible {
    /// A sentence or two: what was found where, what was expected, and what to do.
    public var description: String {
        switch reason {
        case .tooShort(let bytes):
            bytes == 0
                ? "the capture is empty; record one with \(Self.recorders)"
                : "\(bytes) bytes are too few for a capture; record one with \(Self.recorders)"
        case .notACapture(let magic):
            "not a btsnoop, pcap, pcapng or PacketLogger capture: it starts with \(Self.hex(magic))\(Self.advice(magic: magic))"
        case .unknownVersion(let format, let major, let minor):
            "\(format) version \(major).\(minor) is not supported, only \(Self.version(format)); "
                + "convert the capture with Wireshark"
        case .unknownDataLink(let number):
            "the btsnoop data link is \(Self.name(dataLink: number)), not HCI (1001, 1002 or 2001); "
                + "record one with \(Self.recorders)"
        case .noBluetooth(let linkType):
            "the link type is \(Self.name(linkType: linkType)), not Bluetooth HCI (187, 201 or 254) or a sniffer of Bluetooth LE "
                + "(192, 251, 256 or 272); record one with \(Self.recorders)"
        case .recordTooLong(let length):
            "the record at byte \(offset) announces \(length) bytes, but the longest HCI packet takes "
                + "\(CaptureReader.maximumRecordLength); \(Self.damaged)"
        case .recordTooShort(let length):
            "the record at byte \(offset) announces \(length) bytes, fewer than the time and the type of a packet take; "
                + Self.damaged
        case .recordBeyondBlock(let length, let block):
            "the packet at byte \(offset) announces \(length) bytes in a block of \(block); \(Self.damaged)"
        case .badBlockLength(let length, let shortest):
            "the block at byte \(offset) announces a length of \(length) bytes, expected a multiple of 4 and at least "
                + "\(shortest); \(Self.damaged)"
        case .blockTooLong(let length):
            "the block at byte \(offset) announces \(length) bytes, but a packet's or an interface's block has at most "
                + "\(CaptureReader.maximumBlockLength); \(Self.damaged)"
        case .blockLengthsDiffer(let first, let last):
            "the block at byte \(offset) starts with a length of \(first) bytes and ends with one of \(last); "
                + Self.damaged
        case .optionTooLong(let code):
            "option \(code) of the block at byte \(offset) does not end within the block; \(Self.damaged)"
        case .unknownByteOrder(let magic):
            "the section at byte \(offset) has the byte-order magic \(Self.hex(magic)), expected 1a 2b 3c 4d or its "
                + "reverse; \(Self.damaged)"
        case .unknownInterface(let number, let count):
            "the packet at byte \(offset) names interface \(number), but \(count) were described before it; \(Self.damaged)"
        case .tooManyInterfaces:
            "the section describes more than \(CaptureReader.maximumInterfaces) interfaces, the last at byte "
                + "\(offset); \(Self.damaged)"
        case .cut(let missing):
            "the capture is cut: at least \(missing) bytes are missing of what starts at byte \(offset); "
                + "all packets before it have been read, so copy the file again if it should be whole"
        }
    }
}

extension CaptureError {
    private static let recorders = "`okaeri record FILE` or `btmon -w FILE`"
    private static let damaged = "the capture is damaged from there on, and the packets before it have been read"

    private static func version(_ format: CaptureFormat) -> String {
        switch format {
        case .btsnoop: "1"
        case .pcap: "2.4"
        case .pcapng, .packetLogger: "1"
        }
    }

    /// Four bytes as they stand in the file.
    private static func hex(_ bytes: UInt32) -> String {
        stride(from: 24, through: 0, by: -8)
            .map { hexadecimal(UInt8(truncatingIfNeeded: bytes >> UInt32($0)), prefix: "", uppercase: false) }
            .joined(separator: " ")
    }

    /// Returns advice about a file of a well-known format that is not a capture.
    private static func advice(magic: UInt32) -> String {
        switch magic {
        case 0x1F8B_0000...0x1F8B_FFFF: " (gzip); unpack it with `gunzip` first"
        case 0xFD37_7A58: " (xz); unpack it with `unxz` first"
        case 0x28B5_2FFD: " (zstd); unpack it with `unzstd` first"
        default: "; record one with \(recorders)"
        }
    }

    private static func name(dataLink: UInt32) -> String {
        switch dataLink {
        case 1003: "1003 (BCSP)"
        case 1004: "1004 (H5)"
        case 2002: "2002 (BlueZ simulator)"
        default: "\(dataLink)"
        }
    }

    private static func name(linkType: UInt32) -> String {
        switch linkType {
        case 1: "1 (Ethernet)"
        case 101: "101 (raw IP)"
        case 105: "105 (IEEE 802.11)"
        case 113: "113 (Linux cooked)"
        case 127: "127 (IEEE 802.11 with radiotap)"
        case 189: "189 (USB)"
        case 220: "220 (USB)"
        case 195: "195 (IEEE 802.15.4)"
        case 230: "230 (IEEE 802.15.4)"
        case 249: "249 (USB)"
        case 255: "255 (Bluetooth BR/EDR over the air)"
        case 283: "283 (IEEE 802.15.4)"
        case 276: "276 (Linux cooked)"
        default: "\(linkType)"
        }
    }
}
