extension [UInt8] {
    /// The bytes of an integer, least significant first.
    package init(littleEndian value: some FixedWidthInteger) {
        self = []
        append(littleEndian: value)
    }

    @inlinable
    package init(_ bytes: borrowing RawSpan) {
        // Safe: the pointer does not leave the closure.
        self = unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0) }
    }

    /// Appends an integer, least significant byte first: the order of HCI.
    @inlinable
    package mutating func append<T: FixedWidthInteger>(littleEndian value: T) {
        var rest = value
        for _ in 0..<MemoryLayout<T>.size {
            append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }

    #if compiler(>=6.3)
        @inlinable
        package var rawSpan: RawSpan {
            // Safe: what makes it unsafe in general is padding, and a byte has none.
            @_lifetime(borrow self) get { unsafe span.bytes }
        }
    #else
        @inlinable
        package var rawSpan: RawSpan {
            @_lifetime(borrow self) get { span.bytes }
        }
    #endif
}
