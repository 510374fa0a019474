/// LE Set Scan Parameters, the legacy form (Vol 4, Part E, Section 7.8.10).
public struct LESetScanParameters: HCICommandParameters {
    public static let opcode = HCIOpcode.leSetScanParameters

    public var type: ScanType
    public var timing: ScanTiming
    public var ownAddressType: OwnAddressType
    public var filterPolicy: ScanFilterPolicy

    public init(
        type: ScanType = .passive, timing: ScanTiming = .shared, ownAddressType: OwnAddressType = .public,
        filterPolicy: ScanFilterPolicy = .everyone
    ) {
        self.type = type
        self.timing = timing
        self.ownAddressType = ownAddressType
        self.filterPolicy = filterPolicy
    }

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
