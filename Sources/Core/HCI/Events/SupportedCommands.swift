/// The commands that a controller supports, one bit each: the answer to Read Local Supported Commands.
///
/// Bluetooth Core Specification 5.4, Vol 4, Part E, Section 6.27.
public struct SupportedCommands: Hashable, Sendable {
    /// The length of the mask (Section 7.4.2).
    public static let byteCount = 64

    /// The mask's bytes, `byteCount` of them.
    public private(set) var octets: [UInt8]

    /// A controller that knows nothing.
    public init() {
        octets = [UInt8](repeating: 0, count: Self.byteCount)
    }

    /// Reads the mask from the return parameters, after the status.
    public init(_ bytes: RawSpan) throws(HCIDecodingError) {
        var reader = ByteReader(bytes)
        octets = try reader.array(Self.byteCount)
    }

    /// Whether a bit is set; false beyond the mask.
    public func contains(octet: Int, bit: Int) -> Bool {
        octets.indices.contains(octet) && (0..<8).contains(bit) && octets[octet] & (1 << bit) != 0
    }

    /// Sets a bit; nothing happens beyond the mask.
    public mutating func insert(octet: Int, bit: Int) {
        guard octets.indices.contains(octet), (0..<8).contains(bit) else { return }
        octets[octet] |= 1 << bit
    }

    /// Whether LE Set Extended Scan Parameters and LE Set Extended Scan Enable (octet 37, bits 5 and 6) are there.
    ///
    /// The HCI version does not show this: a Raspberry Pi 4 reports 5.0 and supports neither.
    public var supportsExtendedScanning: Bool {
        contains(octet: 37, bit: 5) && contains(octet: 37, bit: 6)
    }
}
