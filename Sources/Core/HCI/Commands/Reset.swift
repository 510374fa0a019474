/// Reset: the controller forgets everything, the scan too (Vol 4, Part E, Section 7.3.2).
public struct Reset: HCICommandParameters {
    public static let opcode = HCIOpcode.reset

    /// The command; it has no parameters.
    public init() {}

    /// Ignores the bytes: the command has no parameters.
    public init(parameters: RawSpan) {}

    public func encode(into bytes: inout [UInt8]) {}
}
