/// The weight of a region between a quick exit and a correct one: a point on the curve of both.
public enum Sensitivity: String, CaseIterable, Hashable, Sendable {
    /// Quick; a person sitting still may cause a few false exits a day.
    case quick
    /// The sensitivity for a home.
    case balanced
    /// Rarely wrong, with a longer delay.
    case patient

    /// The shortest exit time that can be learned.
    public var shortestExitAfter: Duration { .seconds(shortest) }

    /// The exit time of a beacon without a learned one.
    public var initialExitAfter: Duration { .seconds(initial) }

    /// In seconds. With less, a person's turn in a chair causes an exit.
    var shortest: Double {
        switch self {
        case .quick: 8
        case .balanced: 12
        case .patient: 20
        }
    }

    /// The bounds of a learned exit time, and the time before one is learned, in seconds. A phone that sleeps is silent for minutes.
    func bounds(isPhone: Bool) -> (shortest: Double, initial: Double, longest: Double) {
        isPhone ? (600, 600, 3600) : (shortest, initial, SilenceModel.longest)
    }

    /// In seconds.
    var initial: Double { 2.5 * shortest }

    /// The target false-exit rate a day for the tail of the gaps, which is taken as heavier than it mostly is.
    var targetRate: Double {
        switch self {
        case .quick: 16
        case .balanced: 4
        case .patient: 1
        }
    }
}
