extension Duration {
    /// The whole nanoseconds, the nearest representable number where there are too many: 292 years.
    package var clampedNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        return whole.addingClamped(attoseconds / 1_000_000_000)
    }
}

extension Int64 {
    /// The sum, held at the ends: a capture's clock may have any value, and nothing may trap on it.
    @inlinable
    @inline(__always)
    package func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    /// The difference, held at the ends.
    @inlinable
    @inline(__always)
    package func subtractingClamped(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }
}

/// Spans of time as whole nanoseconds.
package enum Nanoseconds {
    package static let second: Int64 = 1_000_000_000

    package static func seconds(_ span: Int64) -> Double { Double(span) / 1e9 }
}
