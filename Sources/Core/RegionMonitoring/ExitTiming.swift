/// How long a silence means that a beacon is gone, and why.
public struct ExitTiming: Hashable, Sendable {
    /// What the time rests on.
    public enum Basis: Hashable, Sendable {
        /// The configuration says it.
        case configured
        /// Nothing is known of the beacon yet: of the gaps it takes to know it only so many were heard.
        case initial(gaps: Int, needed: Int)
        /// The gaps of this beacon.
        case learned
    }

    /// What keeps a learned time from being shorter or longer still.
    public enum Bound: String, Hashable, Sendable {
        /// It is not shorter: ``Sensitivity/shortestExitAfter``.
        case shortest

        /// It is not longer: ``MonitoredRegion/longestExitAfter``.
        case longest
    }

    /// Which of the two memories a learned time comes from: what asks for more has the word.
    public enum Memory: String, Hashable, Sendable {
        /// A day: what happens once in an hour.
        case day
        /// Ten minutes: how it is heard where it is now.
        case minutes
    }

    /// The longest gaps that are remembered, and what follows from them.
    public struct Tail: Hashable, Sendable {
        /// How long a gap is at least to be one of them.
        public var start: Duration
        /// How many they are, weighed by their age.
        public var gaps: Double
        /// How long the longest of them is, within a tenth.
        public var longest: Duration
        /// In how much listening they came, weighed likewise.
        public var listened: Duration
        /// How long a silence is as rare as was promised.
        public var exitTime: Duration
    }

    /// The time in force.
    public var time: Duration

    /// What it rests on.
    public var basis: Basis

    /// How many times longer it is because the signal sinks: from 1, not at all, to 1.5.
    public var prolongation: Double

    /// The bound that holds it; nil where none does.
    public var bound: Bound?

    /// The longest gaps; nil where none was heard, or they do not matter.
    public var tail: Tail?

    /// Where the longest gaps are remembered; nil where there are none that matter.
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
