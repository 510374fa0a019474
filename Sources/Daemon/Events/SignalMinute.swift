/// What was heard of a region's beacons in one minute.
package struct SignalMinute: Sendable, Hashable {
    /// When the minute began: nanoseconds since the Unix epoch.
    package var time: Int64

    /// The region's identifier.
    package var region: String

    /// How many advertisements were heard.
    package var heard: Int

    /// What their RSSI was; nil when the controller could not say.
    package var signal: Signal?

    /// RSSIs, summed up.
    package struct Signal: Sendable, Hashable {
        /// How many there were.
        package var count: Int

        /// In dBm.
        package var mean: Double
        package var lowest: Int
        package var highest: Int

        /// The distance in metres that the mean stands for; -1 when it is not known.
        package var accuracy: Double

        package init(count: Int, mean: Double, lowest: Int, highest: Int, accuracy: Double) {
            self.count = count
            self.mean = mean
            self.lowest = lowest
            self.highest = highest
            self.accuracy = accuracy
        }
    }

    /// The length of a minute in nanoseconds.
    package static let length: Int64 = 60_000_000_000

    package init(time: Int64, region: String, heard: Int, signal: Signal?) {
        self.time = time
        self.region = region
        self.heard = heard
        self.signal = signal
    }
}
