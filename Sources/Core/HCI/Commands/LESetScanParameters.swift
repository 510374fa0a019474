/// LE Set Scan Parameters, the legacy form (Vol 4, Part E, Section 7.8.10).
public struct LESetScanParameters: HCICommandParameters {
    public static let opcode = HCIOpcode.leSetScanParameters

    /// Whether to ask advertisers for more.
    public var type: ScanType

    /// The scan interval and window.
    public var timing: ScanTiming

    /// The type of the scanner's address in an active scan.
    public var ownAddressType: OwnAddressType

    /// The filter for advertisements.
    public var filterPolicy: ScanFilterPolicy

    /// Parameters; without arguments a passive scan that reports every advertiser, in half of the time, because the
    /// Wi-Fi may share the antenna.
    public init(
        type: ScanType = .passive, timing: ScanTiming = .shared, ownAddressType: OwnAddressType = .public,
        filterPolicy: ScanFilterPolicy = .everyone
    ) {
        self.type = type
        self.timing = timing
        self.ownAddressType = ownAddressType
        self.filterPolicy = filterPolicy
    }

    /// Reads `type, 1 | interval, 2 | window, 2 | own address type, 1 | filter policy, 1`.
    ///
    /// - Throws: `truncated` when bytes are missing; `invalidValue` for what ``ScanType``, ``ScanTiming``,
    ///   ``OwnAddressType`` and ``ScanFilterPolicy`` do not allow.
    public init(parameters: RawSpan) throws(HCIDecodingError) {
        var reader = ByteReader(parameters)
        type = try ScanType(decoding: try reader.byte())
        timing = try ScanTiming(decoding: &reader)
        ownAddressType = try OwnAddressType(decoding: try reader.byte())
        filterPolicy = try ScanFilterPolicy(decoding: try reader.byte())
    }

    public func encode(into bytes: inout [UInt8]) {
        bytes.append(type.rawValue)
        timing.encode(into: &bytes)
        bytes.append(ownAddressType.rawValue)
        bytes.append(filterPolicy.rawValue)
    }
}
