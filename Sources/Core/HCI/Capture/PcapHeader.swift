/// The header of a pcap file (draft-ietf-opsawg-pcap, 4), as far as it describes its records.
struct PcapHeader: Sendable {
    static let length = 24
    static let recordHeaderLength = 16

    let order: ByteOrder

    /// The unit of the second half of a time stamp, in nanoseconds.
    let fraction: Int64

    let link: CaptureLink

    /// The byte order and the unit of time that the first four bytes stand for, nil if they are no pcap file's.
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
