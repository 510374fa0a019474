import OkaeriPlumbing

/// LE Set Extended Scan Parameters: one set of parameters for each PHY (Vol 4, Part E, Section 7.8.64).
public struct LESetExtendedScanParameters: HCICommandParameters {
    public static let opcode = HCIOpcode.leSetExtendedScanParameters

    /// The scan parameters of one PHY.
    public struct PHY: Hashable, Sendable {
        /// Whether to ask advertisers for more.
        public var type: ScanType

        /// The scan interval and window.
        public var timing: ScanTiming

        /// Creates the scan parameters of one PHY; by default passive, leaving others half of the antenna's time.
        public init(type: ScanType = .passive, timing: ScanTiming = .shared) {
            self.type = type
            self.timing = timing
        }
    }

    /// The type of the scanner's address in an active scan.
    public var ownAddressType: OwnAddressType

    /// The filter for advertisements.
    public var filterPolicy: ScanFilterPolicy

    /// The scan on LE 1M, where all beacons are; nil for none.
    public var le1M: PHY?

    /// The scan on LE Coded (long range); nil for none.
    public var leCoded: PHY?

    /// Parameters; without arguments a passive scan on LE 1M that reports every advertiser.
    public init(
        ownAddressType: OwnAddressType = .public, filterPolicy: ScanFilterPolicy = .everyone, le1M: PHY? = PHY(),
        leCoded: PHY? = nil
    ) {
        self.ownAddressType = ownAddressType
        self.filterPolicy = filterPolicy
        self.le1M = le1M
        self.leCoded = leCoded
    }

    /// Reads `own address type, 1 | filter policy, 1 | PHYs, 1 | (type, 1 | interval, 2 | window, 2) for each PHY`.
    ///
    /// - Throws: `truncated` when bytes are missing; `invalidValue` for a PHY other than LE 1M and LE Coded, and for
    ///   what ``ScanType``, ``ScanTiming``, ``OwnAddressType`` and ``ScanFilterPolicy`` do not allow.
    public init(parameters: RawSpan) throws(HCIDecodingError) {
        var reader = ByteReader(parameters)
        ownAddressType = try OwnAddressType(decoding: try reader.byte())
        filterPolicy = try ScanFilterPolicy(decoding: try reader.byte())
        let mask = try reader.byte()
        guard mask & ~(Self.maskOf1M | Self.maskOfCoded) == 0 else {
            throw .invalidValue(field: "scanning PHYs", value: Int(mask), allowed: "bits 0 (LE 1M) and 2 (LE Coded)")
        }
        le1M = mask & Self.maskOf1M == 0 ? nil : try PHY(decoding: &reader)
        leCoded = mask & Self.maskOfCoded == 0 ? nil : try PHY(decoding: &reader)
    }

    public func encode(into bytes: inout [UInt8]) {
        bytes.append(ownAddressType.rawValue)
        bytes.append(filterPolicy.rawValue)
        bytes.append((le1M == nil ? 0 : Self.maskOf1M) | (leCoded == nil ? 0 : Self.maskOfCoded))
        le1M?.encode(into: &bytes)
        leCoded?.encode(into: &bytes)
    }

    private static let maskOf1M: UInt8 = 1 << 0
    private static let maskOfCoded: UInt8 = 1 << 2
}

extension LESetExtendedScanParameters.PHY {
    init(decoding reader: inout ByteReader) throws(HCIDecodingError) {
        type = try ScanType(decoding: try reader.byte())
        timing = try ScanTiming(decoding: &reader)
    }

    func encode(into bytes: inout [UInt8]) {
        bytes.append(type.rawValue)
        timing.encode(into: &bytes)
    }
}

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
