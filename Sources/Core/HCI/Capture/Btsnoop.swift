/// The numbers of the btsnoop format, version 1 (RFC 1761 with Bluetooth's data links and 64-bit time), big endian.
enum Btsnoop {
    /// `btsnoop` and a zero byte.
    static let identification: UInt64 = 0x6274_736E_6F6F_7000

    static let version: UInt32 = 1

    /// Identification, version and data link.
    static let headerLength = 16

    /// Original length, included length, flags, drops and time.
    static let recordHeaderLength = 24

    /// 1970-01-01 in microseconds since the format's own zero, midnight of 0000-01-01. (0x00E03AB44A676000, which
    /// turns up beside it in other sources, is 2000-01-01.)
    static let unixEpoch: Int64 = 0x00DC_DDB3_0F2F_8000

    /// Nanoseconds since the Unix epoch, clamped.
    @inline(__always)
    static func nanoseconds(_ microseconds: Int64) -> Int64 {
        let (sinceEpoch, before) = microseconds.subtractingReportingOverflow(unixEpoch)
        if before { return .min }
        let (time, beyond) = sinceEpoch.multipliedReportingOverflow(by: 1_000)
        return beyond ? (sinceEpoch < 0 ? .min : .max) : time
    }

    /// The time stamp of a time in nanoseconds since the Unix epoch, rounded down.
    static func microseconds(_ nanoseconds: Int64) -> Int64 {
        // An arithmetic floor: times before 1970 must round the same way as those after.
        let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: 1_000)
        return quotient - (remainder < 0 ? 1 : 0) + unixEpoch
    }
}

extension Btsnoop {
    /// The format of a record's bytes.
    enum DataLink: UInt32, Sendable {
        /// HCI packets without their type; the flags imply it.
        case h1 = 1001

        /// HCI packets with their type in front.
        case h4 = 1002

        /// The Linux monitor: the flags hold an opcode and the adapter's number.
        case monitor = 2001
    }
}
