extension RawSpan {
    /// The integer at `offset`, most significant byte first, or nil where the bytes end before it does.
    @inline(__always)
    func bigEndian<T: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: T.Type = T.self) -> T? {
        guard offset >= 0, offset <= byteCount - MemoryLayout<T>.size else { return nil }
        // Safe: the bounds are checked, and every bit pattern is an integer.
        return T(bigEndian: unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: type))
    }
}
