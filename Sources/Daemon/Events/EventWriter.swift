/// Writes what happened, on a thread that may wait for the disk.
package protocol EventWriter {
    /// Records what happened: on the disk when this returns, unless that fails.
    mutating func record(_ happened: [Event], _ heard: [SignalMinute], _ ended: [SilenceRecord])

    /// Nothing comes any more.
    ///
    /// - Parameter time: The time of the end, in nanoseconds since the Unix epoch.
    mutating func finish(at time: Int64)

    /// The time at which there is something to write without an event, such as after a failure.
    var nextAttempt: ContinuousClock.Instant? { get }

    /// The reason why the last attempt failed, if it did.
    var problem: String? { get }
}
