import Agreement
import Bluetooth
import Events
import HCI
import IBeacon
import OkaeriConfiguration
import Plumbing
import Presence
import RegionMonitoring
import Synchronization

/// A house in a replay: the engine, the rooms, and the events of both.
final class ReplayedHouse: Sendable {
    /// A node of the house.
    struct Node: Sendable {
        var name: String
        var room: String?
        /// The loss of its receiver, in dB.
        var offset: Double
    }

    /// The clock of the captures: their stamps are the wall clock.
    private struct StampClock: WallClock {
        func wallTime(of instant: Instant) -> Int64 { instant.nanoseconds }
        var now: Int64 { 0 }
    }

    private struct Rooms: Sendable {
        var nodes: [RadioID: Node] = [:]
        var trackers: [RoomTracker]
        /// The rooms that were published.
        var published: [String?]
        var inside: Set<Int> = []
    }

    private let regions: [String]
    private let hub = EventHub(node: NodeName.local)
    private let rooms: Mutex<Rooms>
    private let radios = Mutex<[String: RadioID]>([:])
    private let engine: Mutex<PresenceDriver?>

    init(
        regions: [MonitoredRegion], identities: [String: DeviceIdentity],
        _ publish: @escaping @Sendable (Event) -> Void
    ) {
        self.regions = regions.map(\.identifier)
        rooms = Mutex(
            Rooms(
                trackers: regions.map { _ in RoomTracker() }, published: regions.map { _ in nil }))
        engine = Mutex(nil)
        hub.record(with: publish)
        let driver = PresenceDriver(
            regions: regions, identities: identities, clock: StampClock(),
            handler: { [weak self] sighting, regions, now in self?.heard(sighting, regions, at: now) },
            publish: { [weak self] event, time in self?.happened(event, at: time.wall) })
        engine.withLock { $0 = driver }
    }

    private var driver: PresenceDriver? { engine.withLock(\.self) }

    /// Handles that the radios of these nodes listen from now on.
    func begin(_ nodes: [Node], at now: Instant) {
        guard let driver else { return }
        driver.scannerWillStart(at: now.nanoseconds)
        for node in nodes {
            let radio = driver.radio(named: node.name, at: now)
            radios.withLock { $0[node.name] = radio }
            rooms.withLock { $0.nodes[radio] = node }
            driver.radioListens(radio, share: 1, at: now)
        }
    }

    func received(_ reception: Reception, by node: String, at now: Instant) {
        guard let driver, let radio = radios.withLock({ $0[node] }) else { return }
        advanceRooms(to: now)
        var reception = reception
        reception.time = now
        driver.received(reception, by: radio)
    }

    /// Handles the end of the captures. The decisions that are due then are made.
    func end(at now: Instant) {
        driver?.advance(to: now.advanced(by: .nanoseconds(1)))
        advanceRooms(to: now)
    }

    // MARK: Calls by the engine, while it is locked

    private func heard(_ sighting: BeaconSighting, _ regions: [Int], at now: Instant) {
        guard let rssi = sighting.rssi else { return }
        rooms.withLock { rooms in
            guard let node = rooms.nodes[sighting.radio], let room = node.room else { return }
            let identity = sighting.identity
            let beacon = identity.uuid.low ^ UInt64(identity.major) << 16 ^ UInt64(identity.minor)
            for region in regions where rooms.trackers.indices.contains(region) {
                rooms.trackers[region].heard(
                    node.name, in: room, from: beacon, rssi: Double(rssi) + node.offset, at: now.nanoseconds)
            }
        }
    }

    private func happened(_ event: PresenceEvent, at time: Int64) {
        guard case .action(let action, _) = event else { return }
        switch action {
        case .didEnterRegion(let region, _):
            let room = position(of: region).flatMap { place in rooms.withLock { $0.trackers[place].strongest } }
            hub.happened(.house(region: region, .didEnterRegion(room: room, isOwner: true)), at: time)
        case .didExitRegion(let region):
            hub.happened(.house(region: region, .didExitRegion(isOwner: true)), at: time)
        case .didDetermineState(let region, let state):
            hub.happened(.house(region: region, .didDetermineState(state)), at: time)
            if let place = position(of: region) { determined(state, of: place, at: time) }
        default: break
        }
    }

    private func position(of region: String) -> Int? { regions.firstIndex(of: region) }

    private func determined(_ state: RegionState, of place: Int, at time: Int64) {
        rooms.withLock { rooms in
            if state == .inside {
                rooms.inside.insert(place)
            } else {
                rooms.inside.remove(place)
                if state == .outside { rooms.trackers[place].left() }
            }
        }
        tellRoom(of: place, at: time)
    }

    // MARK: Rooms

    private func advanceRooms(to now: Instant) {
        for place in regions.indices {
            while let due = rooms.withLock({ $0.trackers[place].nextDeadline }), due <= now.nanoseconds {
                rooms.withLock { $0.trackers[place].advanced(to: due) }
                tellRoom(of: place, at: due)
                guard rooms.withLock({ $0.trackers[place].nextDeadline ?? .max }) > due else { break }
            }
        }
    }

    private func tellRoom(of place: Int, at time: Int64) {
        let news = rooms.withLock { rooms -> String?? in
            let room = rooms.inside.contains(place) ? rooms.trackers[place].room : nil
            guard room != rooms.published[place] else { return nil }
            rooms.published[place] = room
            return .some(room)
        }
        if let room = news { hub.happened(.house(region: regions[place], .didDetermineRoom(room)), at: time) }
    }
}
