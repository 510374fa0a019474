import OkaeriEvents

/// A day, or any stretch of time, of a history: what a picture of it is drawn from.
struct DayRecord: Sendable, Hashable {
    /// The stretch, in nanoseconds since the Unix epoch; `end` does not belong to it.
    var start: Int64
    var end: Int64

    /// The number of parts of equal length of which each has one value of a signal.
    var columns = 1440

    var regions: [Region]

    /// The maximum number of regions that are read from the history beside the configured ones.
    static let regionLimit = 128

    /// The times at which the adapter could not be used.
    var outages: [Span] = []

    /// The times without a watching daemon: before the first start, between a stop and the next start, and the future.
    var unwatched: [Range<Int64>] = []

    struct Region: Sendable, Hashable {
        var identifier: String
        /// In order, and none overlaps another, whatever the clock did.
        var spans: [Span] = []
        /// In the order of the columns; a column without a reception has none.
        var signal: [Signal] = []
        var marks: [Mark] = []
        /// The configured thresholds in dBm.
        var enterRSSI: Int?
        var exitRSSI: Int?
    }

    /// A time, and what was so then: a region's state, or the reason for an outage.
    struct Span: Sendable, Hashable {
        var time: Range<Int64>
        var value: String
    }

    /// The signal in a column: of one minute or of several.
    struct Signal: Sendable, Hashable {
        /// The column, from 0.
        var column: UInt16
        /// Whether there was a longer silence before it than ``longestSilence``.
        var beginsStretch = false
        /// In dBm.
        var lowest: Int8
        var highest: Int8
        var mean: Float
    }

    /// A line over a longer silence would show values that were never received.
    static let longestSilence = 3 * SignalMinute.length

    struct Mark: Sendable, Hashable {
        enum Kind: Sendable, Hashable {
            case prompt, answer, joined, joinFailed
        }

        var time: Int64
        var kind: Kind
        /// The event in a few words.
        var text: String
    }
}

package struct HistoryEvent: Sendable, Hashable {
    /// The time on the wall clock: nanoseconds since the Unix epoch.
    package var time: Int64

    /// Its name, such as `didEnterRegion`; of a house's, `house.didEnterRegion`.
    package var name: String

    package var region: String?

    package var json: String
}
