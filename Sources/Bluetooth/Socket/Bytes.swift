extension [UInt8] {
    /// The bytes where they lie.
    var rawSpan: RawSpan {
        // Safe: what makes it unsafe in general is padding, and a byte has none.
        @_lifetime(borrow self) get { unsafe span.bytes }
    }
}
