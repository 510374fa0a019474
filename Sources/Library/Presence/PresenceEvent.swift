package import Bluetooth
package import RegionMonitoring

package enum PresenceEvent: Hashable, Sendable {
    /// Bluetooth was switched on or off, unplugged, forbidden.
    case bluetoothStateDidUpdate(AdapterUpdate)

    /// The region, named by its identifier, cannot be watched: there is no adapter, or the program may not use it.
    case monitoringDidFail(region: String, reason: String)

    /// A decision of the monitor.
    ///
    /// - bluetooth: The state of Bluetooth at that time: why the scan stopped, which the monitor does not know.
    case action(RegionMonitor.Action, bluetooth: AdapterUpdate)
}
