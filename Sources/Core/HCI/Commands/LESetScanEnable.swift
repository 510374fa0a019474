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
