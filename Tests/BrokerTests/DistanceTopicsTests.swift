import IBeacon
import OkaeriPlumbing
import OkaeriTestSupport
import RegionMonitoring
import Testing

@testable import OkaeriHouse

/// The distances that a hub publishes.
@Suite struct DistanceTopicsTests {
    private let identity: BeaconIdentity

    init() throws {
        identity = BeaconIdentity(uuid: try #require(BeaconUUID(HouseBench.uuid)), major: 1, minor: 1)
    }

    private func snapshot(_ rssi: Double, _ accuracy: Double, by radio: String = "") -> RegionMonitor.BeaconSnapshot {
        .init(
            identity: identity, rssi: -60, accuracy: 2, regions: ["keys"],
            receptions: [.init(radio: radio, rssi: rssi, accuracy: accuracy)])
    }

    @Test func `A distance is published when it has changed, and once a minute`() {
        var topics = DistanceTopics()
        func published(_ rssi: Double, _ accuracy: Double, at seconds: Double) -> [Double?] {
            topics.measured(
                [snapshot(rssi, accuracy)], inside: ["keys"], node: "hall", at: nanoseconds(seconds)
            ).map { $0.reception?.rssi }
        }
        #expect(published(-60, 1.23, at: -5) == [-60])
        // Home Assistant may not have had the entity yet.
        #expect(published(-60, 1.23, at: 0) == [-60])
        // Not by a decibel, and not by a decimetre.
        #expect(published(-60.4, 1.21, at: 5) == [])
        #expect(published(-60.6, 1.21, at: 10) == [-60.6])
        #expect(published(-60.6, 1.31, at: 15) == [-60.6])
        #expect(published(-60.6, -1, at: 20) == [-60.6])
        #expect(published(-60.6, -1, at: 75) == [])
        #expect(published(-60.6, -1, at: 80) == [-60.6])
        #expect(published(-60.6, .infinity, at: 85) == [-60.6])
        // A subscriber has lost it.
        topics.repeated()
        #expect(published(-60.6, .infinity, at: 90) == [-60.6])
    }

    @Test func `A distance that ended is published once, and the next one as a new one`() {
        var topics = DistanceTopics()
        func published(_ beacons: [RegionMonitor.BeaconSnapshot], at seconds: Double) -> [String] {
            topics.measured(beacons, inside: ["keys"], node: "hall", at: nanoseconds(seconds)).map {
                "\($0.part.radio) \($0.reception.map { "\($0.rssi)" } ?? "ended")"
            }
        }
        let both = [snapshot(-60, 1), snapshot(-70, 3, by: "attic")]
        #expect(published(both, at: -5) == ["attic -70.0", "hall -60.0"])
        #expect(published(both, at: 0) == ["attic -70.0", "hall -60.0"])
        #expect(published([both[0]], at: 5) == ["attic ended"])
        #expect(published([both[0]], at: 10) == [])
        #expect(published(both, at: 15) == ["attic -70.0"])
    }

    @Test func `Home Assistant and a broker that have restarted receive all distances`() throws {
        var house = HouseBench()
        house.startHub("hall")
        house.pass(10)
        house.see("hall", .inside)
        let beacon = snapshot(-60, 1)
        house.change("hall") { $0.beacons = [beacon] }
        house.pass(30)
        #expect(house.published("hall", "/ranging").count == 2)
        house.send("homeassistant/status", "online")
        house.pass(6)
        #expect(house.published("hall", "/ranging").count == 3)
    }
}
