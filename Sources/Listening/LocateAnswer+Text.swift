import Bluetooth
import Events
import IBeacon
import Plumbing
import Presence
import RegionMonitoring

extension LocateAnswer {
    /// A line a region, for a person.
    package var text: String {
        let width = places.map(\.region.count).max() ?? 0
        return places.map { place in
            let what = [place.beacon?.summary, place.reason?.text].compactMap { $0 }.joined(separator: "  ")
            return "\(place.region.padding(to: width))  \(place.state.rawValue.padding(to: 7))  \(what)"
        }.joined(separator: "\n")
    }

    /// One JSON object on one line.
    ///
    /// - Parameter time: the time of the answer, RFC 3339.
    package func json(at time: String) -> String {
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

extension LocateAnswer.Reason {
    /// What happened, and where it helps, what to do.
    fileprivate var text: String {
        switch self {
        case .notHeard: "nothing was heard of it"
        case .tooWeak: "it is heard, but not well enough to be inside"
        case .bluetooth(let update): update.reason
        case .notListened(let listened, let limit, let failure):
            "only \(listened.seconds(digits: 1).plain) s of \(limit.seconds(digits: 1).plain) s were listened to"
                + (failure.map { ". \($0.reason)" } ?? "")
        case .noAnswer(let adapter):
            "\(adapter ?? "the adapter") does not answer, and may hear nothing: `sudo hciconfig \(adapter ?? "hci0") "
                + "reset`, or unplug it"
        }
    }
}

extension JSONObject {
    fileprivate init(_ place: LocateAnswer.Place) {
        self.init()
        add("region", place.region)
        add("state", place.state.rawValue)
        if let beacon = place.beacon {
            var object = JSONObject()
            object.add("uuid", beacon.identity.uuid.description)
            object.add("major", beacon.identity.major)
            object.add("minor", beacon.identity.minor)
            object.add("rssi", beacon.rssi)
            object.add("accuracy", beacon.accuracy.metres)
            object.add("proximity", Proximity(accuracy: beacon.accuracy).rawValue)
            add("beacon", object)
        }
        add("reason", place.reason?.text)
    }
}

extension RegionMonitor.BeaconSnapshot {
    /// `major 100 minor 100  -78 dBm  2.1 m near`.
    fileprivate var summary: String {
        let signal = rssi.map { "  \($0) dBm" } ?? ""
        let distance =
            accuracy >= 0 ? "  \(accuracy.metres) m \(Proximity(accuracy: accuracy).rawValue)" : ""
        return "major \(identity.major) minor \(identity.minor)\(signal)\(distance)"
    }
}
