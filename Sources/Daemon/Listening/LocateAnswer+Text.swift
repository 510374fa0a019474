import IBeacon
import OkaeriBluetooth
import OkaeriEvents
import OkaeriPlumbing
import OkaeriPresence
import RegionMonitoring

extension LocateAnswer {
    /// A line a region, for a person.
    package var text: String {
        let width = places.map(\.region.displayWidth).max() ?? 0
        return places.map { place in
            let what = [place.beacon?.summary, place.reason?.text].compactMap { $0 }.joined(separator: "  ")
            return "\(place.region.padding(to: width))  \(place.state.rawValue.padding(to: 7))  \(what)"
        }.joined(separator: "\n")
    }

    /// One JSON object on one line.
    ///
    /// - Parameter time: the time of the answer, RFC 3339.
    package func json(at time: String) -> String {
        let fields =
            EventField.text("time", time) + [
                EventField("regions", .list(places.map(\.fields))),
                EventField("listened", .number(listened.seconds(digits: 1))),
                EventField("bluetooth", .object(bluetooth.fields)),
            ]
        return fields.json
    }
}

extension LocateAnswer.Reason {
    /// The result, and the remedy if there is one.
    var text: String {
        switch self {
        case .notHeard: "nothing was received from it"
        case .tooWeak: "it is received, but too weakly to be inside"
        case .unknown(let obstacle): obstacle.description
        }
    }
}

extension LocateAnswer.Place {
    fileprivate var fields: [EventField] {
        let beacon = beacon.map { EventField.beacon($0.identity, rssi: $0.rssi.map(Int.init), accuracy: $0.accuracy) }
        return EventField.text("region", region) + EventField.text("state", state.rawValue)
            + (beacon.map { [EventField("beacon", .object($0))] } ?? []) + EventField.text("reason", reason?.text)
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
