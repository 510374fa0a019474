import IBeacon
import OkaeriEvents
import OkaeriMQTT
import OkaeriPlumbing
import RegionMonitoring

/// The distances of beacons from the radios at the broker, for Home Assistant.
struct DistanceTopics: Sendable {
    /// A region's distance from a radio.
    struct Part: Hashable, Sendable {
        var region: String
        var radio: String

        static func precedes(_ one: Self, _ other: Self) -> Bool {
            (one.region, one.radio) < (other.region, other.radio)
        }
    }

    /// Home Assistant stores each value in its database.
    private static let interval = 5 * Nanoseconds.second

    /// The time after which a distance is published again that has not changed: Home Assistant takes one for unknown after 120 s.
    private static let refresh = 60 * Nanoseconds.second

    /// A distance as far as a change of it is worth a message: in decibels and decimetres.
    private struct Value: Hashable, Sendable {
        var rssi: Int
        var accuracy: Int?
        var proximity: Proximity

        init(_ reception: RegionMonitor.BeaconSnapshot.Reception) {
            rssi = Int(reception.rssi.rounded())
            accuracy = reception.accuracy < 0 ? nil : Int(exactly: (min(reception.accuracy, 1e6) * 10).rounded())
            proximity = Proximity(accuracy: reception.accuracy)
        }
    }

    /// The distances that were published, with the times at which they are published again.
    private var published: [Part: (value: Value, next: Int64)] = [:]
    /// The time of the next measurement of distances.
    private(set) var nextDeadline: Int64?

    /// Handles that a region is inside.
    mutating func becameInside(at now: Int64) { nextDeadline = nextDeadline ?? now.addingClamped(Self.interval) }

    /// Plans the next measurement. Without a next time, where no region is inside: this node's thread would call at once again.
    mutating func planned(isAnyInside: Bool, at now: Int64) {
        nextDeadline = isAnyInside ? now.addingClamped(Self.interval) : nil
    }

    /// Has all distances published at the next measurement: the broker retains none.
    mutating func repeated() {
        for part in published.keys { published[part]?.next = .min }
    }

    /// Returns the distance of the strongest beacon of each region that is inside, from each radio that receives it, in order, and `nil`
    /// for the distances that ended; those that have changed, those that were not published for a minute, and the first one twice.
    ///
    /// - Parameter beacons: The beacons received of late, with their receptions by each radio.
    mutating func measured(
        _ beacons: [RegionMonitor.BeaconSnapshot], inside: Set<String>, node: String, at now: Int64
    ) -> [(part: Part, reception: RegionMonitor.BeaconSnapshot.Reception?)] {
        var strongest: [Part: RegionMonitor.BeaconSnapshot.Reception] = [:]
        for beacon in beacons {
            for region in beacon.regions where inside.contains(region) {
                for reception in beacon.receptions {
                    let part = Part(region: region, radio: reception.radio.isEmpty ? node : reception.radio)
                    if strongest[part].map({ reception.rssi > $0.rssi }) ?? true { strongest[part] = reception }
                }
            }
        }
        let silent = published.keys.filter { strongest[$0] == nil }
        for part in silent { published[part] = nil }
        let news = strongest.filter { part, reception in
            let (value, before) = (Value(reception), published[part])
            guard before?.value != value || before.map({ $0.next <= now }) ?? true else { return false }
            // Home Assistant has no entity yet when the first one arrives behind its announcement.
            published[part] = (value, before == nil ? now : now.addingClamped(Self.refresh))
            return true
        }
        return news.keys.sorted(by: Part.precedes).map { ($0, news[$0]) }
            + silent.sorted(by: Part.precedes).map { ($0, nil) }
    }

    static func message(
        _ part: Part, _ beacon: RegionMonitor.BeaconSnapshot.Reception?, _ topics: Topics
    ) -> MQTTPublication {
        let accuracy = beacon.flatMap { $0.accuracy < 0 ? nil : ($0.accuracy * 100).rounded() / 100 }
        let fields = [
            EventField("rssi", beacon.map { .integer(Int($0.rssi.rounded())) } ?? .null),
            Wire.number("accuracy", accuracy),
            Wire.text("proximity", beacon.map { Proximity(accuracy: $0.accuracy).rawValue }),
        ]
        let topic = topics.ranging(TopicName(part.region), by: part.radio)
        return .event(topic, fields.json.utf8, quality: .atMostOnce)
    }
}
