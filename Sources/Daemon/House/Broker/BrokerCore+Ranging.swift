import Events
import IBeacon
import MQTT
import Plumbing
import RegionMonitoring

/// The distances of beacons, for Home Assistant.
extension BrokerCore {
    /// Home Assistant stores each value in its database.
    private static let rangingInterval: Int64 = 5_000_000_000

    /// Handles that this node determined whether a beacon of the region is inside.
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

    /// Publishes the distance of the strongest beacon of each region that is inside.
    mutating func measured(_ beacons: [RegionMonitor.BeaconSnapshot], at now: Int64) -> [Output] {
        // Without a next time, where the regions with a beacon inside were removed: this node's thread would call at once again.
        rangingAt = inside.isEmpty ? nil : now.addingClamped(Self.rangingInterval)
        guard isConnected, !inside.isEmpty else { return [] }
        var strongest: [String: (rssi: Int8, accuracy: Double)] = [:]
        for beacon in beacons {
            guard let rssi = beacon.rssi else { continue }
            for level in beacon.regions.compactMap({ levelOf[$0] })
            where inside.contains(level) && strongest[level].map({ rssi > $0.rssi }) ?? true {
                strongest[level] = (rssi, beacon.accuracy)
            }
        }
        let silent = ranged.subtracting(strongest.keys)
        ranged = Set(strongest.keys)
        return (ranged.sorted() + silent.sorted()).map { ranging($0, strongest[$0]) }
    }

    private func ranging(_ level: String, _ beacon: (rssi: Int8, accuracy: Double)?) -> Output {
        let accuracy = beacon.flatMap { $0.accuracy < 0 ? nil : ($0.accuracy * 100).rounded() / 100 }
        let fields = [
            EventField("rssi", beacon.map { .integer(Int($0.rssi)) } ?? .null), Wire.number("accuracy", accuracy),
            Wire.text("proximity", beacon.map { Proximity(accuracy: $0.accuracy).rawValue }),
        ]
        return .publish(.event(topics.ranging(name(level), by: node), fields.json.utf8, quality: .atMostOnce))
    }
}
