import Plumbing

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
