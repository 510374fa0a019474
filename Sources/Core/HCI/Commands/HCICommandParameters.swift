/// The parameters of one command, as a value.
public protocol HCICommandParameters: Hashable, Sendable {
    /// The command these parameters belong to.
    static var opcode: HCIOpcode { get }

    /// Reads the parameters; bytes after the last one are ignored, as later specifications may append some.
    init(parameters: RawSpan) throws(HCIDecodingError)

    /// Appends the parameters as bytes.
    func encode(into bytes: inout [UInt8])
}
