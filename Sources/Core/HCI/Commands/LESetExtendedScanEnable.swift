import Plumbing

/// LE Set Extended Scan Enable (Vol 4, Part E, Section 7.8.65).
public struct LESetExtendedScanEnable: HCICommandParameters {
    public static let opcode = HCIOpcode.leSetExtendedScanEnable

    /// The condition for reporting an advertiser again.
    public enum DuplicateFilter: UInt8, Hashable, Sendable {
        /// Every advert is reported.
        case off = 0x00

        /// Once.
        case on = 0x01

        /// Once in every period.
        case onUntilNextPeriod = 0x02
    }

    /// Whether to scan.
    public var isEnabled: Bool

    /// The condition for reporting an advertiser again.
    public var duplicateFilter: DuplicateFilter

    /// The duration of the scan in units of 10 ms; 0 is until disabled.
    public var duration: UInt16

    /// After how long to scan again, in units of 1.28 s; 0 is once.
    public var period: UInt16

    /// A command to start or to end the scan; the ranges are those of the fields: any 16 bits are allowed.
    public init(isEnabled: Bool, duplicateFilter: DuplicateFilter = .off, duration: UInt16 = 0, period: UInt16 = 0) {
        self.isEnabled = isEnabled
        self.duplicateFilter = duplicateFilter
        self.duration = duration
        self.period = period
    }

    /// Reads `enable, 1 | filter duplicates, 1 | duration, 2 | period, 2`; throws `truncated` when bytes are missing,
    /// and `invalidValue` for an enable beyond 1 or a filter beyond 2.
    public init(parameters: RawSpan) throws(HCIDecodingError) {
        var reader = ByteReader(parameters)
        isEnabled = try Bool(decoding: try reader.byte(), field: "extended scan enable")
        let filter = try reader.byte()
        guard let duplicateFilter = DuplicateFilter(rawValue: filter) else {
            throw .invalidValue(field: "filter duplicates", value: Int(filter), allowed: "0 to 2")
        }
        self.duplicateFilter = duplicateFilter
        duration = try reader.integer()
        period = try reader.integer()
    }

    public func encode(into bytes: inout [UInt8]) {
        bytes.append(isEnabled ? 1 : 0)
        bytes.append(duplicateFilter.rawValue)
        bytes.append(littleEndian: duration)
        bytes.append(littleEndian: period)
    }
}
