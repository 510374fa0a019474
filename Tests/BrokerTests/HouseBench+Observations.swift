import IBeacon
import OkaeriEvents
import OkaeriRooms
import RegionMonitoring

@testable import OkaeriHouse

/// The starts of daemons.
extension HouseBench {
    /// A hub's daemon starts and connects.
    mutating func startHub(
        _ name: String, room: String? = nil, regions: [String] = ["keys"], incarnation: String? = nil,
        discovery: String? = "homeassistant", memory: HouseMemory = HouseMemory(), engine: (any BenchEngine)? = nil,
        connects: Bool = true
    ) {
        let settings = BrokerSettings(
            node: name, room: room ?? name, site: "home", discovery: discovery, version: "1.0.0")
        start(
            settings, regions.map(Self.region), incarnation: incarnation ?? "\(name)-\(now)", memory: memory,
            engine: engine, connects: connects)
    }

    /// A receiver's daemon starts and connects.
    mutating func startReceiver(_ name: String, room: String? = nil, offset: Double = 0) {
        let settings = BrokerSettings(
            node: name, room: room ?? name, offset: offset, site: "home", kind: .receiver, discovery: "homeassistant",
            version: "1.0.0")
        start(settings, [], incarnation: "\(name)-\(now)", connects: true)
    }

    /// A standby's daemon starts and connects; it has the regions from an earlier run.
    mutating func startStandby(
        _ name: String, regions: [String] = ["keys"], incarnation: String? = nil, memory: HouseMemory = HouseMemory(),
        engine: (any BenchEngine)? = nil, connects: Bool = true
    ) {
        let settings = BrokerSettings(
            node: name, room: name, site: "home", kind: .standby, discovery: "homeassistant", version: "1.0.0")
        start(
            settings, regions.map(Self.region), incarnation: incarnation ?? "\(name)-\(now)", memory: memory,
            engine: engine, connects: connects)
    }
}

/// The receptions and observations of a test.
extension HouseBench {
    /// The engine of a hub determines a state, with an enter or exit event.
    mutating func see(_ name: String, _ state: RegionState, region: String = "keys", isEvent: Bool = true) {
        if isEvent, state != .unknown {
            perform(name) { core, now in
                let beacon = RangedBeacon(
                    identity: BeaconIdentity(uuid: Self.owner, major: 1, minor: 1), rssi: -60, accuracy: 1)
                return core.happened(
                    state == .inside ? .didEnterRegion(region: region, beacon) : .didExitRegion(region: region), at: now
                )
            }
        }
        perform(name) { $0.happened(.didDetermineState(region: region, state), at: $1) }
    }

    /// A radio receives a beacon: the own one of a hub, or a receiver.
    mutating func hear(_ name: String, rssi: Int8 = -60, region: String = "keys", by radio: String? = nil) {
        perform(name) { $0.heard(by: radio, region, from: 1, rssi: rssi, at: $1) }
    }

    /// A retained value as text; `nil` for a topic without one.
    func value(_ topic: String) -> String? { retained[topic].map { String(decoding: $0, as: UTF8.self) } }

    /// The retained topics of the house and of Home Assistant.
    var topics: [String] { retained.keys.sorted() }

    /// The messages that a node has published since a time, with topics that contain a text.
    func published(_ name: String, _ text: String = "", since time: Int64 = 0) -> [Publication] {
        log.filter { $0.node == name && $0.time >= time && $0.topic.contains(text) }
    }

    /// The events of the house, as the broker had them.
    var events: [String] {
        log.filter { !$0.isRetained && $0.topic.hasPrefix("okaeri/home/region/") && $0.topic.hasSuffix("/event") }
            .compactMap { Wire.event($0.bytes)?.kind.rawValue }
    }

    /// The messages of the radio of a receiver.
    func heard(_ name: String) -> [HeardMessage] {
        published(name, "/heard").compactMap { HeardMessage($0.bytes) }
    }

    /// The news of the house for the node's own consumers, in a word or two each.
    func news(_ name: String) -> [String] {
        (nodes[name]?.happened ?? []).compactMap { kind in
            guard case .house(_, let news) = kind else { return nil }
            return switch news {
            case .didDetermineState(let state): state.rawValue
            case .didEnterRegion(let room, _): "enter \(room ?? "?")"
            case .didExitRegion: "exit"
            case .didDetermineRoom(let room): "room \(room ?? "none")"
            }
        }
    }
}
