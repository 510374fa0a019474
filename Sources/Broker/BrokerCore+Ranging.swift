import Events
import HomeAssistant
import IBeacon
import MQTT
import Plumbing
package import RegionMonitoring

/// A beacon of a region, as this node hears it.
package struct BrokerRanging: Hashable, Sendable {
    package var region: String
    /// In dBm.
    package var rssi: Int
    /// The estimated distance in metres; nil when it is not known.
    package var accuracy: Double?
    /// immediate, near, far or unknown.
    package var proximity: String

    package init(region: String, rssi: Int, accuracy: Double?, proximity: String) {
        self.region = region
        self.rssi = rssi
        self.accuracy = accuracy
        self.proximity = proximity
    }
}

extension BrokerRanging {
    /// One for each of the beacon's regions.
    package static func list(_ beacon: RegionMonitor.BeaconSnapshot) -> [BrokerRanging] {
        guard let rssi = beacon.rssi else { return [] }
        let accuracy = beacon.accuracy
        return beacon.regions.map {
            BrokerRanging(
                region: $0, rssi: Int(rssi), accuracy: accuracy < 0 ? nil : (accuracy * 100).rounded() / 100,
                proximity: Proximity(accuracy: accuracy).rawValue)
        }
    }
}

/// How far the beacons are.
extension BrokerCore {
    /// More often is for nobody: Home Assistant writes each one down.
    static let rangingInterval: Int64 = 5_000_000_000

    /// Somebody is inside, or no more.
    mutating func insideChanged(_ level: String, to isInside: Bool, at now: Int64) -> [Output] {
        if isInside {
            inside.insert(level)
            rangingAt = rangingAt ?? now.addingClamped(Self.rangingInterval)
            return []
        }
        inside.remove(level)
        if inside.isEmpty { rangingAt = nil }
        return ranged.remove(level) == nil ? [] : [ranging(level, nil)]
    }

    /// What is heard now; the strongest beacon of a region speaks for it.
    mutating func measured(_ list: [BrokerRanging], at now: Int64) -> [Output] {
        // Without a next time, where the regions with a beacon inside were removed: this node's thread would call at once again.
        rangingAt = inside.isEmpty ? nil : now.addingClamped(Self.rangingInterval)
        guard isConnected, !inside.isEmpty else { return [] }
        let strongest = Dictionary(list.map { (TopicName($0.region).level, $0) }) { $0.rssi >= $1.rssi ? $0 : $1 }
        let heard = inside.filter { strongest[$0] != nil }
        let silent = ranged.subtracting(heard)
        ranged = heard
        return heard.sorted().map { ranging($0, strongest[$0]) } + silent.sorted().map { ranging($0, nil) }
    }

    private func ranging(_ level: String, _ value: BrokerRanging?) -> Output {
        let fields = [
            EventField("rssi", value.map { .integer($0.rssi) } ?? .null), Wire.number("accuracy", value?.accuracy),
            Wire.text("proximity", value?.proximity),
        ]
        return .publish(.event(topics.ranging(name(level), by: node), fields.json.utf8, quality: .atMostOnce))
    }
}
