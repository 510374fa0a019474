/// Writes what happened, on a thread that may wait for the disk.
package protocol EventWriter {
    /// Records what happened: on the disk when this returns, unless that fails.
    mutating func record(_ happened: [Event], _ heard: [SignalMinute], _ ended: [SilenceRecord])

    /// Nothing comes any more.
    ///
    /// - Parameter time: when that was, nanoseconds since the Unix epoch.
    mutating func finish(at time: Int64)

    /// When there is something to write although nothing happens, such as what failed before.
    var nextAttempt: ContinuousClock.Instant? { get }

    /// Why the last attempt failed, if so.
    var problem: String? { get }
}
