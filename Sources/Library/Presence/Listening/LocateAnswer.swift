package import Bluetooth
package import RegionMonitoring

/// The place of this machine: the result of a ``Locator``.
package struct LocateAnswer: Sendable, Equatable {
    /// A region, and whether this machine is there.
    package struct Place: Sendable, Equatable {
        /// The region's identifier.
        package var region: String

        package var state: RegionState

        /// The beacon that says so: the one that keeps it inside, or the strongest of those too weak for that.
        package var beacon: RegionMonitor.BeaconSnapshot?

        /// The reason why it is not inside, or not known.
        package var reason: Reason?
    }

    /// The reason why this machine is not in a region, or why that is not known.
    package enum Reason: Sendable, Equatable {
        /// Outside: nothing was heard of it.
        case notHeard
        /// Outside: it is heard, but not well enough to be inside.
        case tooWeak
        /// Unknown: Bluetooth does not work at the end.
        case bluetooth(AdapterUpdate)
        /// Unknown: only so much of the time was listened to, after this failure if there was one.
        case notListened(Duration, of: Duration, because: AdapterUpdate?)
        /// Unknown: the adapter does not answer, and may hear nothing.
        case noAnswer(adapter: String?)
    }

    /// The regions that were asked for, in that order.
    package var places: [Place]

    /// The time in which the scan ran.
    package var listened: Duration

    /// The state of the adapter at the end.
    package var bluetooth: AdapterUpdate

    /// The part of the time that may be missing for "outside": a scan takes a moment to start, and another one to start
    /// again after another program has ended it.
    package static let tolerance = Duration.seconds(1)

    /// The shortest time to listen: many beacons advertise only once a second, and half of the time is Wi-Fi's.
    package static let shortest = Duration.seconds(2)

    /// 0 inside, 1 outside, 2 unknown. Of several regions: inside if any is, else unknown if any is.
    package var exitStatus: Int32 {
        let states = places.map(\.state)
        if states.contains(.inside) { return 0 }
        return states.contains(.outside) && !states.contains(.unknown) ? 1 : 2
    }
}
