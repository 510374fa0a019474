/// The order of an integer's bytes. Captures are written in the order of the machine that wrote them.
enum ByteOrder: Sendable {
    case little
    case big

    /// The integer at `offset`. The caller has checked that it is there; if not, this traps rather than reads outside.
    @inline(__always)
    func load<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type, from bytes: RawSpan, at offset: Int) -> T {
        // Safe: the load checks the bounds, and every bit pattern is an integer.
        let raw = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: type)
        return switch self {
        case .little: T(littleEndian: raw)
        case .big: T(bigEndian: raw)
        }
    }
}
