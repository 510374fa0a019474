import Events

package struct HistoryEvent: Sendable, Hashable {
    /// The time on the wall clock: nanoseconds since the Unix epoch.
    package var time: Int64

    /// Its name, such as `didEnterRegion`; of a house's, `house.didEnterRegion`.
    package var name: String

    package var region: String?

    package var json: String
}
