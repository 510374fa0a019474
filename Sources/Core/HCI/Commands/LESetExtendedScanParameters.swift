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
