import OkaeriPlumbing

/// Reads integers and slices in order. Every read is checked: bytes of a controller or a file may be cut.
public struct ByteReader: ~Escapable {
    @usableFromInline let bytes: RawSpan

    /// The reader's position, in bytes from the start.
    @inlinable public var offset: Int { position }

    @usableFromInline var position = 0

    /// Starts at the first of `bytes`.
    @_lifetime(copy bytes)
    public init(_ bytes: RawSpan) {
        self.bytes = bytes
    }

    /// Starts within `bytes` and ends before them; offsets are still counted from the first.
    @_lifetime(copy bytes)
    @inline(__always)
    init(_ bytes: RawSpan, _ range: Range<Int>) {
        self.bytes = bytes.extracting(0..<range.upperBound)
        position = range.lowerBound
    }

    /// The number of bytes that are left.
    @inlinable public var remaining: Int { bytes.byteCount - offset }

    /// The next byte.
    @_lifetime(self: copy self)
    @inline(__always)
    public mutating func uint8() throws(Truncation) -> UInt8 {
        try load(UInt8.self)
    }

    /// The next byte as a signed number, as RSSI and transmit power are sent.
    @_lifetime(self: copy self)
    @inlinable
    @inline(__always)
    public mutating func int8() throws(Truncation) -> Int8 {
        try load(Int8.self)
    }

    /// The next integer, least significant byte first: the order of HCI.
    @_lifetime(self: copy self)
    @inline(__always)
    public mutating func littleEndian<T: FixedWidthInteger & BitwiseCopyable>(
        _ type: T.Type = T.self
    ) throws(Truncation) -> T {
        T(littleEndian: try load(type))
    }

    /// The next `count` bytes, not copied.
    @_lifetime(self: copy self)
    @_lifetime(copy self)
    @inlinable
    @inline(__always)
    public mutating func take(_ count: Int) throws(Truncation) -> RawSpan {
        let start = try advance(by: count)
        return bytes.extracting(start..<start + count)
    }

    @_lifetime(self: copy self)
    @inlinable
    @inline(__always)
    mutating func load<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type) throws(Truncation) -> T {
        let start = try advance(by: MemoryLayout<T>.size)
        // Safe: `advance` has checked the bounds, and every bit pattern is an integer.
        return unsafe bytes.unsafeLoadUnaligned(fromByteOffset: start, as: type)
    }

    @_lifetime(self: copy self)
    @inlinable
    @inline(__always)
    mutating func advance(by count: Int) throws(Truncation) -> Int {
        guard count >= 0, count <= remaining else {
            throw Truncation(offset: offset, needed: count, available: remaining)
        }
        defer { position += count }
        return offset
    }
}

/// The bytes end before what they announce.
public struct Truncation: Error, Hashable, Sendable, CustomStringConvertible {
    /// The start of the missing field, in bytes from the start of the input.
    public let offset: Int

    /// The length of the field in bytes.
    public let needed: Int

    /// The number of bytes that were left.
    public let available: Int

    @usableFromInline
    init(offset: Int, needed: Int, available: Int) {
        self.offset = offset
        self.needed = needed
        self.available = available
    }

    public var description: String {
        "cut at byte \(offset): a length of \(needed) is announced, \(available) is there"
    }
}

/// The reads of packets which are decoded into values: the same as the reader's own, with the packet's error.
extension ByteReader {
    @_lifetime(self: copy self)
    mutating func byte() throws(HCIDecodingError) -> UInt8 {
        do throws(Truncation) {
            return try uint8()
        } catch {
            throw .truncated(error)
        }
    }

    @_lifetime(self: copy self)
    mutating func integer<T: FixedWidthInteger & BitwiseCopyable>(
        _ type: T.Type = T.self
    ) throws(HCIDecodingError) -> T {
        do throws(Truncation) {
            return try littleEndian(type)
        } catch {
            throw .truncated(error)
        }
    }

    @_lifetime(self: copy self)
    mutating func array(_ count: Int) throws(HCIDecodingError) -> [UInt8] {
        do throws(Truncation) {
            return [UInt8](try take(count))
        } catch {
            throw .truncated(error)
        }
    }

    @_lifetime(self: copy self)
    mutating func expect(_ type: HCIPacketType) throws(HCIDecodingError) {
        let found = try byte()
        guard found == type.rawValue else {
            throw .unexpectedPacketType(found, expected: type)
        }
    }
}

/// The reason why bytes are not a valid HCI packet.
public enum HCIDecodingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A field or the packet itself is cut.
    case truncated(Truncation)

    /// The first byte announces another kind of packet.
    case unexpectedPacketType(UInt8, expected: HCIPacketType)

    /// The command is another one than the type that was asked to decode it.
    case unexpectedOpcode(HCIOpcode, expected: HCIOpcode)

    /// A field holds a value which the specification does not allow.
    case invalidValue(field: String, value: Int, allowed: String)

    public var description: String {
        switch self {
        case .truncated(let truncation):
            "the packet is \(truncation)"
        case .unexpectedPacketType(let type, let expected):
            "the packet is of type \(hexadecimal(type)), \(expected) is \(hexadecimal(expected.rawValue))"
        case .unexpectedOpcode(let opcode, let expected):
            "the command is \(opcode), \(expected) is expected"
        case .invalidValue(let field, let value, let allowed):
            "\(field) is \(value), allowed is \(allowed)"
        }
    }
}
