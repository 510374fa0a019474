/// One AD structure: a length, a type and data (Bluetooth Core Specification, Vol 3, Part C, 11).
public struct ADStructure: ~Escapable {
    /// The type of the data, from Assigned Numbers 2.3; see ``ADType``.
    public let type: UInt8

    /// The position of the structure's length byte in the advertising data.
    public let offset: Int

    /// The bytes that follow the type.
    public let data: RawSpan

    @_lifetime(copy data)
    init(type: UInt8, offset: Int, data: RawSpan) {
        self.type = type
        self.offset = offset
        self.data = data
    }
}

/// The AD types that this package looks at or names (Assigned Numbers 2.3).
public enum ADType {
    /// Flags (Core Specification Supplement, Part A, 1.3): a byte of bits, discoverable and the like.
    public static let flags: UInt8 = 0x01

    /// The beginning of the device's name, UTF-8 (Supplement, Part A, 1.2).
    public static let shortenedLocalName: UInt8 = 0x08

    /// The device's name, UTF-8 (Supplement, Part A, 1.2).
    public static let completeLocalName: UInt8 = 0x09

    /// The transmit power in dBm, a signed byte (Supplement, Part A, 1.5).
    public static let txPowerLevel: UInt8 = 0x0A

    /// The 16-bit UUID of a service, least significant byte first, and its data (Supplement, Part A, 1.11).
    public static let serviceData16: UInt8 = 0x16

    /// The company identifier, least significant byte first, and its data (Supplement, Part A, 1.4).
    public static let manufacturerSpecificData: UInt8 = 0xFF
}

/// Walks the AD structures of one advertisement or scan response, as far as they are sound.
///
/// The walk ends at the first length of 0 (early termination, as the specification has it) or at the first
/// structure that overruns the data: what stood before it is still good.
public struct ADStructures: ~Escapable {
    private let advertisingData: RawSpan
    private var offset = 0

    /// Whether a structure announced more bytes than there are.
    public private(set) var overran = false

    /// A walk from the first byte: the payload of one PDU or report, without a length in front.
    @_lifetime(copy advertisingData)
    public init(_ advertisingData: RawSpan) {
        self.advertisingData = advertisingData
    }

    /// The next structure, nil after the last.
    @_lifetime(copy self)
    public mutating func next() -> ADStructure? {
        guard let length: UInt8 = advertisingData.bigEndian(at: offset), length > 0 else { return nil }
        let end = offset + 1 + Int(length)
        guard end <= advertisingData.byteCount, let type: UInt8 = advertisingData.bigEndian(at: offset + 1) else {
            overran = true
            return nil
        }
        defer { offset = end }
        return ADStructure(type: type, offset: offset, data: advertisingData.extracting(offset + 2..<end))
    }
}
