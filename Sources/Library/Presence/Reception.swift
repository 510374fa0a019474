public import HCI
public import IBeacon
public import RegionMonitoring

/// One advertisement that a radio of the house received.
///
/// Public, because an inlinable function makes it: see ``PresencePipeline``.
public struct Reception: Sendable, Equatable {
    public enum Sender: Sendable, Equatable {
        case beacon(BeaconIdentity, measuredPower: Int8)
        /// No beacon, maybe a phone of a region, whose address changes.
        case device(BluetoothAddress, BluetoothAddressType)
    }

    public var sender: Sender
    /// In dBm; `nil` if the controller did not measure.
    public var rssi: Int8?
    public var time: Instant

    public init(_ sender: Sender, rssi: Int8?, at time: Instant) {
        (self.sender, self.rssi, self.time) = (sender, rssi, time)
    }
}

/// The receptions of a radio in a span of time, and the part of it in which the radio listened.
package struct RadioReport: Sendable, Equatable {
    package var from: Instant
    package var until: Instant
    /// The part of that time in which the radio listened, from 0 to 1.
    package var share: Double
    /// The number of other devices that it received.
    package var others: Int
    /// In the order of time.
    package var receptions: [Reception]
    /// The battery levels of beacons that it received.
    package var batteries: [BeaconBattery]

    package init(
        from: Instant, until: Instant, share: Double, others: Int, receptions: [Reception],
        batteries: [BeaconBattery] = []
    ) {
        (self.from, self.until, self.share) = (from, until, share)
        (self.others, self.receptions, self.batteries) = (others, receptions, batteries)
    }
}
