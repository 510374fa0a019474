import OkaeriPlumbing

/// The battery level of a region's beacon; of several beacons the lowest.
package struct BatteryReport: Codable, Sendable, Equatable {
    /// The level below which the battery is to be replaced.
    package static let lowPercent = 15

    /// 0 to 100.
    package var percent: Int
    /// Whether the battery is to be replaced.
    package var low: Bool
    /// The time of the level's last reception, RFC 3339.
    package var time: String
    /// advertised, or gatt.
    package var source: String
    /// The beacon.
    package var major: UInt16
    package var minor: UInt16

    package init(percent: Int, time: String, source: String, major: UInt16, minor: UInt16) {
        self.percent = percent
        low = percent < Self.lowPercent
        (self.time, self.source, self.major, self.minor) = (time, source, major, minor)
    }

    /// A warning, if the battery is to be replaced.
    package var warning: String? {
        low
            ? "the beacon with major \(major) and minor \(minor) had \(percent) % at \(LocalTime.text(stamp: time))"
            : nil
    }

    /// The remedy of a low level.
    package static let remedy = "replace the battery of the beacon"
}
