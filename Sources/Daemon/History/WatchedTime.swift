import Plumbing

/// The time in which the daemon ran, run by run. An hour that the wall's clock shows twice was watched twice.
package struct WatchedTime: Sendable {
    /// In the order of the runs, in nanoseconds since the Unix epoch.
    private var runs: [Range<Int64>]

    package init(_ runs: [Range<Int64>] = []) {
        self.runs = runs
    }

    /// The earliest moment; `nil` where no run is known.
    package var start: Int64? { runs.map(\.lowerBound).min() }

    package mutating func add(_ run: Range<Int64>) { runs.append(run) }

    package func nanoseconds(in stretch: Range<Int64>) -> Int64 {
        runs.reduce(0) { sum, run in
            let part = run.clamped(to: stretch)
            let length = part.upperBound.subtractingReportingOverflow(part.lowerBound)
            return sum.addingClamped(length.overflow ? .max : length.partialValue)
        }
    }
}
