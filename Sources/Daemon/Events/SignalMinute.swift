import OkaeriPlumbing
package import RegionMonitoring

/// The receptions of a region's beacons in one minute.
package struct SignalMinute: Sendable, Hashable {
    /// The beginning of the minute: nanoseconds since the Unix epoch.
    package var time: Int64

    /// The region's identifier.
    package var region: String

    /// The number of received advertisements.
    package var heard: Int

    /// Their RSSI; `nil` if the controller does not give it.
    package var signal: Signal?

    /// RSSIs, summed up.
    package struct Signal: Sendable, Hashable {
        /// The number of values.
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

/// A silence of the beacon that kept a region inside, after it has ended.
package struct SilenceRecord: Sendable, Hashable {
    /// The end of the silence, in nanoseconds since the Unix epoch.
    package var time: Int64

    /// The region's identifier.
    package var region: String

    package var silence: EndedSilence

    package init(time: Int64, region: String, silence: EndedSilence) {
        self.time = time
        self.region = region
        self.silence = silence
    }
}
