/// What was heard of a region's beacons in one minute.
public struct SignalMinute: Sendable, Hashable {
    /// When the minute began: nanoseconds since the Unix epoch.
    public var time: Int64

    /// The region's identifier.
    public var region: String

    /// How many advertisements were heard.
    public var heard: Int

    /// What their RSSI was; nil when the controller could not say.
    public var signal: Signal?

    /// RSSIs, summed up.
    public struct Signal: Sendable, Hashable {
        /// How many there were.
        public var count: Int

        /// In dBm.
        public var mean: Double
        public var lowest: Int
        public var highest: Int

        /// The distance in metres that the mean stands for.
        public var accuracy: Double

        public init(count: Int, mean: Double, lowest: Int, highest: Int, accuracy: Double) {
            self.count = count
            self.mean = mean
            self.lowest = lowest
            self.highest = highest
            self.accuracy = accuracy
        }
    }

    /// The length of a minute in nanoseconds.
    public static let length: Int64 = 60_000_000_000

    public init(time: Int64, region: String, heard: Int, signal: Signal?) {
        self.time = time
        self.region = region
        self.heard = heard
        self.signal = signal
    }
}
