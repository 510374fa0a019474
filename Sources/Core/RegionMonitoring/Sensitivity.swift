import OkaeriPlumbing

/// The weight of a region between a quick exit and a correct one: a point on the curve of both.
public enum Sensitivity: String, CaseIterable, Hashable, Sendable {
    /// Quick; a person sitting still may cause several false exits a day.
    case quick
    /// The sensitivity for a home.
    case balanced
    /// The fewest false exits, with a longer delay.
    case patient

    /// The shortest exit time that can be learned.
    public var shortestExitAfter: Duration { .seconds(shortest) }

    /// The exit time of a beacon without a learned one.
    public var initialExitAfter: Duration { .seconds(initial) }

    /// In seconds. With less, a person's turn in a chair causes an exit.
    var shortest: Double {
        switch self {
        case .quick: 8
        case .balanced: 14
        case .patient: 24
        }
    }

    /// The bounds of a learned exit time, and the time before one is learned, in seconds. A phone that sleeps is silent for minutes.
    func bounds(isPhone: Bool) -> (shortest: Double, initial: Double, longest: Double) {
        isPhone ? (600, 600, 3600) : (shortest, initial, SilenceModel.longest)
    }

    /// In seconds.
    var initial: Double { 2.5 * shortest }

    /// The seconds of delay of each exit that cost as much as one false exit a day. Chosen on the recordings and made-up tags of
    /// Benchmarks/README.md.
    var costOfFalseExit: Double {
        switch self {
        case .quick: 0.5
        case .balanced: 10
        case .patient: 40
        }
    }
}

/// The number of exits that were false, with a return within five minutes at a similar strength: in the last week, or
/// since the beginning of the record.
package struct MistakesReport: Codable, Sendable, Equatable {
    package var days: Double
    package var falseExits: Int
    package var perDay: Double
    /// The number that each sensitivity would have had with a learned exit time.
    package var quick: Int
    package var balanced: Int
    package var patient: Int

    package init(_ silences: [EndedSilence], nanoseconds: Int64) {
        let days = Double(nanoseconds) / 86_400e9
        func count(_ sensitivity: Sensitivity) -> Int {
            silences.count { $0.isFalseExit(after: $0.exitTimes[sensitivity]) }
        }
        falseExits = silences.count(where: \.wasFalseExit)
        self.days = days.rounded(digits: 2)
        perDay = days > 0 ? (Double(falseExits) / days).rounded(digits: 2) : 0
        (quick, balanced, patient) = (count(.quick), count(.balanced), count(.patient))
    }
}
