/// Read Local Supported Commands: the answer is a `SupportedCommands` mask (Vol 4, Part E, Section 7.4.2).
public struct ReadLocalSupportedCommands: HCICommandParameters {
    public static let opcode = HCIOpcode.readLocalSupportedCommands

    /// The command; it has no parameters.
    public init() {}

    /// Ignores the bytes: the command has no parameters.
    public init(parameters: RawSpan) {}

    public func encode(into bytes: inout [UInt8]) {}
}
