import OkaeriPlumbing
package import RegionMonitoring

extension MistakesReport {
    /// The number of false exits a day for a person; `nil` without a false exit, and below one day, because a
    /// few hours prove nothing about a day.
    package var ratePerDay: String? {
        falseExits == 0 || days < 1 ? nil : perDay.plain
    }
}
