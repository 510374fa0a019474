extension [UInt8] {
    /// Appends an integer, least significant byte first: the order of HCI.
    mutating func append<T: FixedWidthInteger>(littleEndian value: T) {
        var rest = value
        for _ in 0..<MemoryLayout<T>.size {
            append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }

    /// The bytes where they lie.
    var rawSpan: RawSpan {
        // Safe: what makes it unsafe in general is padding, and a byte has none.
        @_lifetime(borrow self) get { unsafe span.bytes }
    }

    /// A copy of bytes which live elsewhere.
    init(_ bytes: borrowing RawSpan) {
        // Safe: the pointer does not leave the closure.
        self = unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0) }
    }
}

/// `0x0C` for 12: how the specification writes codes.
func hexadecimal(_ value: some FixedWidthInteger & UnsignedInteger) -> String {
    let digits = String(value, radix: 16, uppercase: true)
    let width = value.bitWidth / 4
    return "0x" + String(repeating: "0", count: max(0, width - digits.count)) + digits
}
