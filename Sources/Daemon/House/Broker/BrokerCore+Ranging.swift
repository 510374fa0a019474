import Events
import IBeacon
import MQTT
import Plumbing
import RegionMonitoring

/// The distances of beacons from the radios, for Home Assistant.
extension BrokerCore {
    /// Home Assistant stores each value in its database.
    private static let rangingInterval: Int64 = 5_000_000_000

    /// Handles that a region is inside, or no longer.
    mutating func inside(_ isInside: Bool, at now: Int64) {
        if isInside { rangingAt = rangingAt ?? now.addingClamped(Self.rangingInterval) }
    }

    /// Publishes the distance of the strongest beacon of each region that is inside, from each radio that receives it.
    ///
    /// - Parameter beacons: The beacons received of late, with their receptions by each radio.
    mutating func measured(_ beacons: [RegionMonitor.BeaconSnapshot], at now: Int64) -> [Output] {
        let isAnyInside = states.contains { $0.value.state == .inside }
        // Without a next time, where no region is inside: this node's thread would call at once again.
        rangingAt = isAnyInside ? now.addingClamped(Self.rangingInterval) : nil
        guard isHolding, isAnyInside || !ranged.isEmpty else { return [] }
        var strongest: [Part: RegionMonitor.BeaconSnapshot.Reception] = [:]
        for beacon in beacons {
            for region in beacon.regions where states[region]?.state == .inside {
                for reception in beacon.receptions {
                    let part = Part(region: region, radio: reception.radio.isEmpty ? node : reception.radio)
                    if strongest[part].map({ reception.rssi > $0.rssi }) ?? true { strongest[part] = reception }
                }
            }
        }
        let silent = ranged.subtracting(strongest.keys)
        ranged = Set(strongest.keys)
        let order = { (one: Part, other: Part) in (one.region, one.radio) < (other.region, other.radio) }
        return ranged.sorted(by: order).flatMap { partFound($0) + [ranging($0, strongest[$0])] }
            + silent.sorted(by: order).map { ranging($0, nil) }
    }

    private func ranging(_ part: Part, _ beacon: RegionMonitor.BeaconSnapshot.Reception?) -> Output {
        let accuracy = beacon.flatMap { $0.accuracy < 0 ? nil : ($0.accuracy * 100).rounded() / 100 }
        let fields = [
            EventField("rssi", beacon.map { .integer(Int($0.rssi.rounded())) } ?? .null),
            Wire.number("accuracy", accuracy),
            Wire.text("proximity", beacon.map { Proximity(accuracy: $0.accuracy).rawValue }),
        ]
        let topic = topics.ranging(TopicName(part.region), by: part.radio)
        return .publish(.event(topic, fields.json.utf8, quality: .atMostOnce))
    }
}
