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
        case shortest
        case longest
    }

    /// The time in force.
    public var time: Duration

    /// What it rests on.
    public var basis: Basis

    /// How many times longer it is because the signal sinks: from 1, not at all, to 2.
    public var prolongation: Double

    /// The bound that holds it; nil where none does.
    public var bound: Bound?

    public init(time: Duration, basis: Basis, prolongation: Double = 1, bound: Bound? = nil) {
        self.time = time
        self.basis = basis
        self.prolongation = prolongation
        self.bound = bound
    }
}
