import Plumbing

/// How many exits were false as people see it, back within five minutes and at like strength: in the last week, or since it is
/// known.
package struct MistakesReport: Codable, Sendable, Equatable {
    /// In how many days.
    package var days: Double
    package var falseExits: Int
    package var perDay: Double
    /// How many each sensitivity would have had where the exit time is learned.
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
