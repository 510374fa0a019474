import OkaeriPlumbing
package import RegionMonitoring

extension MistakesReport {
    /// The rate of false exits for a person, such as `0.5 a day`; `nil` without a false exit, and below one day, because a
    /// few hours prove nothing about a day.
    package var rate: String? {
        falseExits == 0 || days < 1 ? nil : "\(perDay.plain) a day"
    }
}
