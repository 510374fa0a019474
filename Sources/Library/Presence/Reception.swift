package import HCI
package import IBeacon
package import RegionMonitoring

/// One advertisement that a radio of the house received.
package struct Reception: Sendable, Equatable {
    package enum Sender: Sendable, Equatable {
        case beacon(BeaconIdentity, measuredPower: Int8)
        /// No beacon, maybe a phone of a region, whose address changes.
        case device(BluetoothAddress, BluetoothAddressType)
    }

    package var sender: Sender
    /// In dBm; `nil` if the controller did not measure.
    package var rssi: Int8?
    package var time: Instant

    package init(_ sender: Sender, rssi: Int8?, at time: Instant) {
        (self.sender, self.rssi, self.time) = (sender, rssi, time)
    }
}
