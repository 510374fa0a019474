/// The silence after which a beacon counts as gone, and its reason.
public struct ExitTiming: Hashable, Sendable {
    /// The basis of the time.
    public enum Basis: Hashable, Sendable {
        /// The configuration says it.
        case configured
        /// Nothing is known of the beacon yet: of the gaps it takes to know it only so many were heard.
        case initial(gaps: Int, needed: Int)
        /// The gaps of this beacon.
        case learned
    }

    /// The bound of a learned time.
    public enum Bound: String, Hashable, Sendable {
        /// It is not shorter: ``Sensitivity/shortestExitAfter``.
        case shortest

        /// It is not longer: ``MonitoredRegion/longestExitAfter``.
        case longest
    }

    /// The memory that a learned time comes from: the longer time of the two decides.
    public enum Memory: String, Hashable, Sendable {
        /// A day: what happens once in an hour.
        case day
        /// Ten minutes: how it is heard where it is now.
        case minutes
    }

    /// The longest gaps that are remembered, and what follows from them.
    public struct Tail: Hashable, Sendable {
        /// The minimum length of a gap that counts.
        public var start: Duration
        /// The number of gaps, weighted by their age.
        public var gaps: Double
        /// The length of the longest of them, within a tenth.
        public var longest: Duration
        /// In how much listening they came, weighed likewise.
        public var listened: Duration
        /// The silence that is as rare as the target false-exit rate.
        public var exitTime: Duration
    }

    /// The time in force.
    public var time: Duration

    /// The basis of the time.
    public var basis: Basis

    /// The factor by which it is longer because the signal sinks: from 1, not at all, to 1.5.
    public var prolongation: Double

    /// The bound that holds it; nil where none does.
    public var bound: Bound?

    /// The longest gaps; nil where none was heard, or they do not matter.
    public var tail: Tail?

    /// The memory of the longest gaps; `nil` if none matter.
    public var memory: Memory?

    /// A time and what it rests on.
    public init(
        time: Duration, basis: Basis, prolongation: Double = 1, bound: Bound? = nil, tail: Tail? = nil,
        memory: Memory? = nil
    ) {
        self.time = time
        self.basis = basis
        self.prolongation = prolongation
        self.bound = bound
        self.tail = tail
        self.memory = memory
    }
}
