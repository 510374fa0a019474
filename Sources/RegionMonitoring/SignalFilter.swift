/// The signal behind the noise: an exponential mean over time, not over sample counts, so that a beacon that
/// advertises ten times a second is smoothed as one that does so once.
struct SignalFilter: Hashable, Sendable {
    /// The time after which a sample has lost most of its weight, in nanoseconds. Multipath swings within a second,
    /// doors take longer.
    static let timeConstant = 1e9

    /// The filtered signal in dBm, nil before the first sample.
    private(set) var value: Double?

    /// When the last sample came, in nanoseconds.
    private var last: Int64 = 0

    @inline(__always)
    mutating func update(_ rssi: Int8, at nanoseconds: Int64) {
        defer { last = nanoseconds }
        guard let previous = value else {
            value = Double(rssi)
            return
        }
        let elapsed = Double(max(0, nanoseconds.subtractingClamped(last)))
        // The backward difference of dv/dt = (x - v)/τ: no exponential needed, and stable for every gap.
        let weight = elapsed / (elapsed + Self.timeConstant)
        value = previous + weight * (Double(rssi) - previous)
    }
}
