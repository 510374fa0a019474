import Plumbing

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
