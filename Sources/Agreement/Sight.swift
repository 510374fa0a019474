/// Whether somebody is there, as one node sees it or as the house agrees on it.
package enum SightState: String, Hashable, Sendable, CaseIterable {
    /// Nobody can say.
    case unknown
    /// A beacon of the region is here.
    case inside
    /// None is.
    case outside
}

/// One node's word about one region. It says nothing of other nodes, and no wall clock is in it.
package struct Sight: Hashable, Sendable {
    /// What the node's own region monitor decided.
    package var state: SightState

    /// The signal of the last half second in dBm, calibrated with the node's offset; nil while nothing is heard, or nobody is
    /// inside.
    package var signal: Double?

    /// How far the signal jumps from half second to half second without the beacon's moving: its noise, a standard
    /// deviation in dB.
    package var spread: Double?

    /// How many seconds ago a beacon of the region was last heard when this was said; nil: never.
    package var age: Double?

    /// Changes with every start of the node's daemon.
    package var incarnation: String

    /// Rises with every word of an incarnation.
    package var sequence: UInt64

    package init(
        state: SightState, signal: Double? = nil, spread: Double? = nil, age: Double? = nil, incarnation: String,
        sequence: UInt64
    ) {
        self.state = state
        self.signal = signal
        self.spread = spread
        self.age = age
        self.incarnation = incarnation
        self.sequence = sequence
    }

    /// How often a sight is said again at least, in nanoseconds: five seconds while inside, so that a receiver that fell dumb
    /// is not believed for long; else five minutes, a third of the fifteen after which the broker drops it.
    package static let (insideInterval, interval) = (5 * Nanoseconds.second, 300 * Nanoseconds.second)

    /// How many intervals without a word mean that nobody says it any more.
    package static let missed: Int64 = 3
}

/// Spans of the monotonic clock.
enum Nanoseconds {
    static let second: Int64 = 1_000_000_000

    static func seconds(_ span: Int64) -> Double { Double(span) / 1e9 }
}

extension Int64 {
    /// Later by `span`, held at the ends.
    func later(by span: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(span)
        return overflow ? (span < 0 ? .min : .max) : sum
    }

    /// How long after `earlier` this is, held at the ends.
    func since(_ earlier: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(earlier)
        return overflow ? (earlier < 0 ? .max : .min) : difference
    }
}
