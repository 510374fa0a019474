/// How a region weighs an exit that is told soon against one that is wrong: a point on the curve of both.
public enum Sensitivity: String, CaseIterable, Hashable, Sendable {
    /// Told soon; a person who sits still may be sent away a few times a day.
    case quick
    /// What suits a home.
    case balanced
    /// Rarely wrong, and late for it.
    case patient

    /// The shortest exit time that is ever learned.
    public var shortestExitAfter: Duration { .seconds(shortest) }

    /// The exit time of a beacon of which nothing is learned yet.
    public var initialExitAfter: Duration { .seconds(initial) }

    /// In seconds. Less, and a person who turns around in a chair is gone.
    var shortest: Double {
        switch self {
        case .quick: 8
        case .balanced: 12
        case .patient: 20
        }
    }

    /// In seconds.
    var initial: Double { 2.5 * shortest }

    /// How many false exits a day the tail of the gaps may promise. It promises more than come: it is taken as heavier
    /// than it mostly is.
    var promise: Double {
        switch self {
        case .quick: 16
        case .balanced: 4
        case .patient: 1
        }
    }
}
