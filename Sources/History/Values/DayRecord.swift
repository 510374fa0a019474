/// A day, or any stretch of time, of a history: what a picture of it is drawn from.
public struct DayRecord: Sendable, Hashable {
    /// The stretch, in nanoseconds since the Unix epoch; `end` does not belong to it.
    public var start: Int64
    public var end: Int64

    public var regions: [Region]

    /// When the adapter could not be used.
    public var outages: [Outage]

    /// When nobody watched: before the first start, between a stop and the next start, and what is still to come.
    public var unwatched: [Range<Int64>]

    /// A region's day.
    public struct Region: Sendable, Hashable {
        public var identifier: String
        public var spans: [Span]
        public var minutes: [SignalMinute]
        public var marks: [Mark]
        /// The configured thresholds in dBm.
        public var enterRSSI: Int?
        public var exitRSSI: Int?

        public init(
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
    public struct Span: Sendable, Hashable {
        public var time: Range<Int64>
        /// unknown, inside or outside.
        public var state: String

        public init(_ time: Range<Int64>, _ state: String) {
            self.time = time
            self.state = state
        }
    }

    /// Something about the Wi-Fi.
    public struct Mark: Sendable, Hashable {
        public enum Kind: Sendable, Hashable {
            case prompt, answer, joined, joinFailed
        }

        public var time: Int64
        public var kind: Kind
        /// What happened, in a few words.
        public var text: String

        public init(time: Int64, kind: Kind, text: String) {
            self.time = time
            self.kind = kind
            self.text = text
        }
    }

    /// A time without an adapter.
    public struct Outage: Sendable, Hashable {
        public var time: Range<Int64>
        public var reason: String

        public init(_ time: Range<Int64>, reason: String) {
            self.time = time
            self.reason = reason
        }
    }

    public init(start: Int64, end: Int64, regions: [Region], outages: [Outage] = [], unwatched: [Range<Int64>] = []) {
        self.start = start
        self.end = end
        self.regions = regions
        self.outages = outages
        self.unwatched = unwatched
    }
}
