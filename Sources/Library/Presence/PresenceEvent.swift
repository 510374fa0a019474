package import Bluetooth
package import RegionMonitoring

/// An event of a ``PresenceDriver``.
package enum PresenceEvent: Hashable, Sendable {
    /// Bluetooth was switched on or off, unplugged, forbidden.
    case bluetoothStateDidUpdate(AdapterUpdate)

    /// The region, named by its identifier, cannot be watched: there is no adapter, or it may not be used.
    case monitoringDidFail(region: String, reason: String)

    /// A decision of the monitor.
    ///
    /// - bluetooth: The state of Bluetooth at that time: the monitor records only that the scan stopped, this is the
    ///   reason.
    case action(RegionMonitor.Action, bluetooth: AdapterUpdate)
}

/// The time of an event, on both clocks.
package struct PresenceTime: Hashable, Sendable {
    /// On the clock of the source, which decides.
    package var instant: Instant

    /// On the wall clock: nanoseconds since the Unix epoch. In a replay it is the capture's.
    package var wall: Int64

    package init(instant: Instant, wall: Int64) {
        self.instant = instant
        self.wall = wall
    }
}
