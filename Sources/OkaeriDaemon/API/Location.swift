public import Bluetooth
public import RegionMonitoring

/// Where this machine is: the answer of `okaeri locate`.
public struct Location: Sendable, Equatable {
    /// A region, and whether this machine is there.
    public struct Place: Sendable, Equatable {
        /// The region's identifier.
        public var region: String

        public var state: RegionState

        /// The beacon that says so: the one that keeps it inside, or the strongest of those too weak for that.
        public var beacon: BeaconReport?

        /// Why it is not inside, or not known.
        public var reason: String?
    }

    /// The regions that were asked for, in that order.
    public var places: [Place]

    /// How long it was really listened.
    public var listened: Duration

    /// What the adapter was at the end.
    public var bluetooth: AdapterUpdate

    /// How much of the time may be missing for "outside": a scan takes a moment to start, and another one to start again
    /// after somebody else has ended it.
    public static let tolerance = Duration.seconds(1)

    /// The shortest time to listen: many beacons advertise only once a second, and half of the time is Wi-Fi's.
    public static let shortest = Duration.seconds(2)

    /// 0 inside, 1 outside, 2 unknown. Of several regions: inside if any is, else unknown if any is.
    public var exitStatus: Int32 {
        let states = places.map(\.state)
        if states.contains(.inside) { return 0 }
        return states.contains(.outside) && !states.contains(.unknown) ? 1 : 2
    }
}

extension Location {
    /// A line a region, for a person.
    public var text: String {
        let width = places.map(\.region.count).max() ?? 0
        return places.map { place in
            let what = [place.beacon?.summary, place.reason].compactMap { $0 }.joined(separator: "  ")
            return "\(place.region.padding(to: width))  \(place.state.rawValue.padding(to: 7))  \(what)"
        }.joined(separator: "\n")
    }

    /// One JSON object on one line.
    ///
    /// - Parameter time: the time of the answer, RFC 3339.
    public func json(at time: String) -> String {
        var object = JSONObject()
        object.add("time", time)
        object.add("regions", places.map(JSONObject.init))
        object.add("listened", listened.seconds(digits: 1))
        var adapter = JSONObject()
        adapter.add("state", bluetooth.state.rawValue)
        adapter.add("adapter", bluetooth.adapter)
        adapter.add("reason", bluetooth.reason)
        object.add("bluetooth", adapter)
        return object.text
    }
}

extension JSONObject {
    fileprivate init(_ place: Location.Place) {
        self.init()
        add("region", place.region)
        add("state", place.state.rawValue)
        if let beacon = place.beacon {
            var object = JSONObject()
            object.add("uuid", beacon.uuid)
            object.add("major", beacon.major)
            object.add("minor", beacon.minor)
            object.add("rssi", beacon.rssi)
            object.add("accuracy", beacon.accuracy)
            object.add("proximity", beacon.proximity)
            add("beacon", object)
        }
        add("reason", place.reason)
    }
}

extension BeaconReport {
    /// `major 100 minor 100  -78 dBm  2.1 m near`.
    fileprivate var summary: String {
        let signal = rssi.map { "  \($0) dBm" } ?? ""
        let distance = accuracy >= 0 ? "  \(accuracy) m \(proximity)" : ""
        return "major \(major) minor \(minor)\(signal)\(distance)"
    }
}
