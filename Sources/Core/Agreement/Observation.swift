package import RegionMonitoring

/// One node's observation of one region. It contains nothing about other nodes and no wall clock.
package struct Observation: Hashable, Sendable {
    /// The state that the node's own region monitor determined.
    package var state: RegionState

    /// The signal of the last half second in dBm, calibrated with the node's offset; `nil` unless a beacon is heard inside.
    package var signal: Double?

    /// The standard deviation, in dB, of the signal of a beacon that does not move.
    package var spread: Double?

    /// The seconds between the last advertisement of the region and this observation; `nil` if there was none.
    package var age: Double?

    /// The identifier of the daemon's run; it changes with every start.
    package var incarnation: String

    /// The number of the observation within its incarnation; it rises.
    package var sequence: UInt64

    package init(
        state: RegionState, signal: Double? = nil, spread: Double? = nil, age: Double? = nil, incarnation: String,
        sequence: UInt64
    ) {
        self.state = state
        self.signal = signal
        self.spread = spread
        self.age = age
        self.incarnation = incarnation
        self.sequence = sequence
    }

    /// The longest time between two publications in nanoseconds: five seconds inside, so that a receiver that stops is noticed
    /// soon; otherwise five minutes.
    package static let (insideInterval, interval) = (5 * Nanoseconds.second, 300 * Nanoseconds.second)

    /// The number of intervals without a publication after which an observation is no longer live.
    package static let missed: Int64 = 3

    /// The time for which the observation is live after it was received, in nanoseconds.
    var validity: Int64 { Self.missed * (state == .inside ? Self.insideInterval : Self.interval) }

    /// The observation without values that no receiver measures. Any client can publish under a node's topics.
    var clamped: Observation {
        var clamped = self
        clamped.signal = signal.flatMap { $0.isFinite && (-127...20).contains($0) ? $0 : nil }
        clamped.spread = spread.flatMap { $0.isFinite ? min(max($0, 0), 40) : nil }
        clamped.age = age.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
        return clamped
    }
}

/// Spans of the monotonic clock.
enum Nanoseconds {
    static let second: Int64 = 1_000_000_000

    static func seconds(_ span: Int64) -> Double { Double(span) / 1e9 }
}
