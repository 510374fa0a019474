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

/// LE Set Scan Enable, the legacy form (Vol 4, Part E, Section 7.8.11).
public struct LESetScanEnable: HCICommandParameters {
    public static let opcode = HCIOpcode.leSetScanEnable

    /// Whether to scan.
    public var isEnabled: Bool

    /// Whether the controller reports an advertiser only once. Broadcom controllers go by the address alone, so that
    /// the signal strength would never be heard again.
    public var filtersDuplicates: Bool

    /// A command to start or to end the scan.
    public init(isEnabled: Bool, filtersDuplicates: Bool = false) {
        self.isEnabled = isEnabled
        self.filtersDuplicates = filtersDuplicates
    }

    /// Reads `enable, 1 | filter duplicates, 1`; throws `truncated`, or `invalidValue` for a value beyond 1.
    public init(parameters: RawSpan) throws(HCIDecodingError) {
        var reader = ByteReader(parameters)
        isEnabled = try Bool(decoding: try reader.byte(), field: "LE scan enable")
        filtersDuplicates = try Bool(decoding: try reader.byte(), field: "filter duplicates")
    }

    public func encode(into bytes: inout [UInt8]) {
        bytes.append(isEnabled ? 1 : 0)
        bytes.append(filtersDuplicates ? 1 : 0)
    }
}

extension Bool {
    init(decoding value: UInt8, field: String) throws(HCIDecodingError) {
        guard value <= 1 else {
            throw .invalidValue(field: field, value: Int(value), allowed: "0 or 1")
        }
        self = value == 1
    }
}
