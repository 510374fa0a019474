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

        /// A pcap file, or every interface of a pcapng file, has a link type that is not Bluetooth HCI's.
        case noBluetooth(linkType: UInt32)

        /// A record announces more than ``CaptureReader/maximumRecordLength`` bytes.
        case recordTooLong(UInt32)

        /// A pcapng packet announces more bytes than its block holds.
        case recordBeyondBlock(UInt32, block: UInt32)

        /// A pcapng block's length is no multiple of 4, or less than such a block takes.
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
