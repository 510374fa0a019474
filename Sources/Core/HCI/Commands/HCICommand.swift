import OkaeriPlumbing

/// A command on its way to the controller: its number and its parameters.
///
/// Bluetooth Core Specification 5.4, Vol 4, Part E, Section 5.4.1.
public struct HCICommand: Hashable, Sendable {
    /// The longest parameters a command has: their length is one byte (Section 5.4.1).
    public static let maximumParameterLength = 255

    /// The command's opcode.
    public let opcode: HCIOpcode

    /// Its parameters, as bytes.
    public let parameters: [UInt8]

    /// A command from raw parameters; throws when they are longer than `maximumParameterLength`.
    public init(opcode: HCIOpcode, parameters: [UInt8]) throws(HCIEncodingError) {
        guard parameters.count <= Self.maximumParameterLength else {
            throw .parametersTooLong(count: parameters.count, limit: Self.maximumParameterLength)
        }
        self.opcode = opcode
        self.parameters = parameters
    }

    /// A command from its typed parameters.
    public init<Parameters: HCICommandParameters>(_ parameters: Parameters) {
        var bytes: [UInt8] = []
        parameters.encode(into: &bytes)
        opcode = Parameters.opcode
        self.parameters = bytes
    }

    /// Reads an H4 command packet: `01, opcode, length, parameters`. Bytes after the announced length are ignored.
    public init(_ packet: RawSpan) throws(HCIDecodingError) {
        var reader = ByteReader(packet)
        try reader.expect(.command)
        opcode = HCIOpcode(rawValue: try reader.integer())
        parameters = try reader.array(Int(try reader.byte()))
    }

    /// The H4 packet: `01, opcode, length, parameters`.
    public var packet: [UInt8] {
        var bytes = [HCIPacketType.command.rawValue]
        bytes.reserveCapacity(4 + parameters.count)
        bytes.append(littleEndian: opcode.rawValue)
        bytes.append(UInt8(truncatingIfNeeded: parameters.count))
        bytes += parameters
        return bytes
    }

    /// The typed parameters; throws when this is another command, or its parameters are cut or out of range.
    public func decode<Parameters: HCICommandParameters>(
        _ type: Parameters.Type = Parameters.self
    ) throws(HCIDecodingError) -> Parameters {
        guard opcode == type.opcode else {
            throw .unexpectedOpcode(opcode, expected: type.opcode)
        }
        return try Parameters(parameters: parameters.rawSpan)
    }
}

/// The parameters of one command, as a value.
public protocol HCICommandParameters: Hashable, Sendable {
    /// The command these parameters belong to.
    static var opcode: HCIOpcode { get }

    /// Reads the parameters; bytes after the last one are ignored, as later specifications may append some.
    init(parameters: RawSpan) throws(HCIDecodingError)

    /// Appends the parameters as bytes.
    func encode(into bytes: inout [UInt8])
}

/// Reset: the controller forgets everything, the scan too (Vol 4, Part E, Section 7.3.2).
public struct Reset: HCICommandParameters {
    public static let opcode = HCIOpcode.reset

    /// The command; it has no parameters.
    public init() {}

    /// Ignores the bytes: the command has no parameters.
    public init(parameters: RawSpan) {}

    public func encode(into bytes: inout [UInt8]) {}
}

/// Set Event Mask: which events the controller may send (Vol 4, Part E, Section 7.3.1).
public struct SetEventMask: HCICommandParameters {
    public static let opcode = HCIOpcode.setEventMask

    /// The bit that lets LE Meta events through.
    public static let leMeta: UInt64 = 1 << 61

    /// One bit an event.
    public var mask: UInt64

    /// A mask as it is sent; a bit that is set lets its event through.
    public init(mask: UInt64) {
        self.mask = mask
    }

    /// Reads the mask, 8 bytes, least significant first; throws `truncated` when they are fewer.
    public init(parameters: RawSpan) throws(HCIDecodingError) {
        var reader = ByteReader(parameters)
        mask = try reader.integer()
    }

    public func encode(into bytes: inout [UInt8]) {
        bytes.append(littleEndian: mask)
    }
}

/// LE Set Event Mask: which LE Meta events the controller may send (Vol 4, Part E, Section 7.8.1).
public struct LESetEventMask: HCICommandParameters {
    public static let opcode = HCIOpcode.leSetEventMask

    /// The bit for LE Advertising Report.
    public static let advertisingReport: UInt64 = 1 << 1

    /// The bit for LE Extended Advertising Report.
    public static let extendedAdvertisingReport: UInt64 = 1 << 12

    /// One bit a subevent, the first subevent is bit 0.
    public var mask: UInt64

    /// A mask as it is sent; a bit that is set lets its event through.
    public init(mask: UInt64) {
        self.mask = mask
    }

    /// Reads the mask, 8 bytes, least significant first; throws `truncated` when they are fewer.
    public init(parameters: RawSpan) throws(HCIDecodingError) {
        var reader = ByteReader(parameters)
        mask = try reader.integer()
    }

    public func encode(into bytes: inout [UInt8]) {
        bytes.append(littleEndian: mask)
    }
}

/// Read Local Supported Commands: the answer is a `SupportedCommands` mask (Vol 4, Part E, Section 7.4.2).
public struct ReadLocalSupportedCommands: HCICommandParameters {
    public static let opcode = HCIOpcode.readLocalSupportedCommands

    /// The command; it has no parameters.
    public init() {}

    /// Ignores the bytes: the command has no parameters.
    public init(parameters: RawSpan) {}

    public func encode(into bytes: inout [UInt8]) {}
}
