import Plumbing

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
