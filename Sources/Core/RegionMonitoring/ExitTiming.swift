/// The silence after which a beacon counts as gone, and its reason.
public struct ExitTiming: Hashable, Sendable {
    /// The basis of the time.
    public enum Basis: Hashable, Sendable {
        /// The configured time.
        case configured
        /// The initial time: fewer gaps of the beacon were measured than a learned time needs.
        case initial(gaps: Int, needed: Int)
        /// A time that was learned from the gaps of this beacon.
        case learned
    }

    /// The bound of a learned time.
    public enum Bound: String, Hashable, Sendable {
        /// The time is not shorter: ``Sensitivity/shortestExitAfter``.
        case shortest

        /// The time is not longer: ``MonitoredRegion/longestExitAfter``.
        case longest
    }

    /// The memory that a learned time comes from: the longer time of the two decides.
    public enum Memory: String, Hashable, Sendable {
        /// A day, for gaps that occur once in an hour.
        case day
        /// Ten minutes, for the present reception.
        case minutes
    }

    /// The longest stored gaps, and their result.
    public struct Tail: Hashable, Sendable {
        /// The minimum length of a gap that counts.
        public var start: Duration
        /// The number of gaps, weighted by their age.
        public var gaps: Double
        /// The length of the longest of them, within a tenth.
        public var longest: Duration
        /// The listening time in which they occurred, weighted likewise.
        public var listened: Duration
    }

    /// The time in force.
    public var time: Duration

    /// The basis of the time.
    public var basis: Basis

    /// The factor by which a falling signal extends the time: from 1, not at all, to 1.4.
    public var prolongation = 1.0

    /// The bound that the time has reached, if any.
    public var bound: Bound?

    /// The longest gaps; `nil` if there are none, or they do not matter.
    public var tail: Tail?

    /// The memory of the longest gaps; `nil` if none matter.
    public var memory: Memory?

    /// The number of false exits in a day of listening that the longest gaps of the last day predict for this time; `nil` without
    /// gaps. The gaps that a learned time comes from lie below it, so this is an estimate and not a count.
    public var falseExits: Double?
}
