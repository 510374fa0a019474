package import Events

/// A day, or any stretch of time, of a history: what a picture of it is drawn from.
package struct DayRecord: Sendable, Hashable {
    /// The stretch, in nanoseconds since the Unix epoch; `end` does not belong to it.
    package var start: Int64
    package var end: Int64

    package var regions: [Region]

    /// The times at which the adapter could not be used.
    package var outages: [Outage]

    /// The times without a watching daemon: before the first start, between a stop and the next start, and the future.
    package var unwatched: [Range<Int64>]

    package struct Region: Sendable, Hashable {
        package var identifier: String
        /// In order, and none overlaps another, whatever the clock did.
        package var spans: [Span]
        package var minutes: [SignalMinute]
        package var marks: [Mark]
        /// The configured thresholds in dBm.
        package var enterRSSI: Int?
        package var exitRSSI: Int?

        package init(
            identifier: String, spans: [Span] = [], minutes: [SignalMinute] = [], marks: [Mark] = [],
            enterRSSI: Int? = nil, exitRSSI: Int? = nil
        ) {
            self.identifier = identifier
            self.spans = spans
            self.minutes = minutes
            self.marks = marks
            self.enterRSSI = enterRSSI
            self.exitRSSI = exitRSSI
        }
    }

    /// A region's state for a while.
    package struct Span: Sendable, Hashable {
        package var time: Range<Int64>
        /// unknown, inside or outside.
        package var state: String

        package init(_ time: Range<Int64>, _ state: String) {
            self.time = time
            self.state = state
        }
    }

    package struct Mark: Sendable, Hashable {
        package enum Kind: Sendable, Hashable {
            case prompt, answer, joined, joinFailed
        }

        package var time: Int64
        package var kind: Kind
        /// The event in a few words.
        package var text: String

        package init(time: Int64, kind: Kind, text: String) {
            self.time = time
            self.kind = kind
            self.text = text
        }
    }

    /// A time without an adapter.
    package struct Outage: Sendable, Hashable {
        package var time: Range<Int64>
        package var reason: String

        package init(_ time: Range<Int64>, reason: String) {
            self.time = time
            self.reason = reason
        }
    }

    package init(start: Int64, end: Int64, regions: [Region], outages: [Outage] = [], unwatched: [Range<Int64>] = []) {
        self.start = start
        self.end = end
        self.regions = regions
        self.outages = outages
        self.unwatched = unwatched
    }
}
