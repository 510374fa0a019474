package import Bluetooth
package import RegionMonitoring

/// The place of this machine: the result of a ``Locator``.
package struct LocateAnswer: Sendable, Equatable {
    /// A region, and whether this machine is there.
    package struct Place: Sendable, Equatable {
        package var region: String

        package var state: RegionState

        /// The beacon that proves it: the one that keeps the region inside, or the strongest of those too weak for
        /// that.
        package var beacon: RegionMonitor.BeaconSnapshot?

        /// The reason why it is not inside, or unknown.
        package var reason: Reason?
    }

    /// The reason why this machine is not in a region, or why that is unknown.
    package enum Reason: Sendable, Equatable {
        /// Outside: no beacon of it was received.
        case notHeard
        /// Outside: a beacon is received, but is too weak to be inside.
        case tooWeak
        /// Unknown: Bluetooth does not work at the end.
        case bluetooth(AdapterUpdate)
        /// Unknown: the adapter scanned only for this part of the time, after this failure if there was one.
        case notListened(Duration, of: Duration, because: AdapterUpdate?)
        /// Unknown: the adapter does not answer, and may receive nothing.
        case noAnswer(adapter: String?)
    }

    /// The requested regions, in their order.
    package var places: [Place]

    /// The time in which the scan ran.
    package var listened: Duration

    /// The state of the adapter at the end.
    package var bluetooth: AdapterUpdate

    /// The part of the time that may be missing for "outside": a scan takes a moment to start, or to start again.
    package static let tolerance = Duration.seconds(1)

    /// The shortest time to listen: many beacons advertise only once a second, and the scan window is half of the
    /// time, because the Wi-Fi may share the antenna.
    package static let shortest = Duration.seconds(2)

    /// 0 inside, 1 outside, 2 unknown. Of several regions: inside if any is, else unknown if any is.
    package var exitStatus: Int32 {
        let states = places.map(\.state)
        if states.contains(.inside) { return 0 }
        return states.contains(.outside) && !states.contains(.unknown) ? 1 : 2
    }
}
