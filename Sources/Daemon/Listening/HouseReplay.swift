package import HCI
import IBeacon
package import Logging
import OkaeriBluetooth
package import OkaeriConfiguration
package import OkaeriEvents
package import OkaeriHouse
import OkaeriPlumbing
package import OkaeriPresence
import OkaeriRooms
package import RegionMonitoring
import Synchronization
import SystemPackage

/// The captures of several nodes, replayed together: what a hub decides on the receptions of all, without a broker.
package enum HouseReplay {
    /// A node's capture.
    package struct Capture: Sendable {
        package var node: String
        package var file: String

        package init(node: String, file: String) {
            self.node = node
            self.file = file
        }
    }

    /// Replays the captures together: one engine decides on the receptions of all, in the order of time.
    ///
    /// - Parameters:
    ///   - nodes: their rooms and offsets, by name.
    ///   - receivers: The receivers of other makes. A capture under the name of one has what it publishes.
    ///   - publish: is given each event of the house, in order.
    /// - Returns: the captures that are cut; what came before the cut was replayed.
    /// - Throws: An error if a file is not a capture, or damaged otherwise.
    package static func run(
        _ captures: [Capture], nodes: [String: Configuration.Node], receivers: [Configuration.Receivers] = [],
        regions: [MonitoredRegion],
        identities: [String: DeviceIdentity] = [:], logger: Logger,
        progress: @escaping @Sendable (UInt64, UInt64?) -> Void, _ publish: @escaping @Sendable (Event) -> Void
    ) throws(CaptureFileError) -> [CaptureFileError] {
        var played: [Played] = []
        defer { for capture in played { capture.receptions.stop() } }
        for capture in captures {
            let source = try CaptureSource(file: capture.file, speed: nil, logger: logger, progress: progress)
            played.append(try Played(capture.node, nodes[capture.node], source))
        }
        let house = ReplayedHouse(regions: regions, receivers: receivers, identities: identities, publish)
        var cut: [CaptureFileError] = []
        var waiting: [Waiting] = []
        for capture in played {
            if let next = try following(capture, &cut) { waiting.append(next) }
        }
        guard let first = waiting.map(\.time).min() else { return cut }
        // A receiver that hears nothing until later is there all the same.
        house.begin(played.map { .init(name: $0.name, room: $0.room, offset: $0.offset) }, at: first)
        var last = first
        while let earliest = waiting.indices.min(by: { waiting[$0].time < waiting[$1].time }) {
            last = max(last, waiting[earliest].time)
            house.received(waiting[earliest].next(), by: waiting[earliest].capture.name, at: last)
            guard waiting[earliest].isEmpty else { continue }
            let ended = waiting.remove(at: earliest)
            if let next = try following(ended.capture, &cut) { waiting.append(next) }
        }
        house.end(at: last)
        return cut
    }

    /// The receptions that come next of a capture; `nil` at its end.
    private static func following(
        _ capture: Played, _ cut: inout [CaptureFileError]
    ) throws(CaptureFileError) -> Waiting? {
        do throws(CaptureFileError) {
            return try capture.receptions.next().map { Waiting(capture: capture, receptions: $0[...]) }
        } catch {
            guard error.isCut else { throw error }
            cut.append(error)
            return nil
        }
    }

    /// One node and its capture.
    private struct Played {
        let name: String
        let room: String?
        let offset: Double
        let receptions: CapturedReceptions

        init(_ name: String, _ node: Configuration.Node?, _ source: CaptureSource) throws(CaptureFileError) {
            (self.name, room, offset) = (name, node?.room, node?.offset ?? 0)
            do throws(BlockingThread.StartError) {
                receptions = try CapturedReceptions(source)
            } catch {
                throw .unreadable(file: source.name, Errno(rawValue: error.code))
            }
        }
    }

    /// The receptions of a capture that were read and not played. There is one at least.
    private struct Waiting {
        let capture: Played
        var receptions: ArraySlice<Reception>

        var time: Instant { receptions[receptions.startIndex].time }
        var isEmpty: Bool { receptions.isEmpty }

        mutating func next() -> Reception { receptions.removeFirst() }
    }
}

/// A house in a replay: the engine, the rooms, and the events of both.
final class ReplayedHouse: Sendable {
    /// A node of the house.
    struct Node: Sendable {
        var name: String
        var room: String?
        /// The loss of its receiver, in dB.
        var offset: Double
        /// Whether it publishes means of some seconds.
        var isSmoothed = false
    }

    /// The clock of the captures: their stamps are the wall clock.
    private struct StampClock: WallClock {
        func wallTime(of instant: Instant) -> Int64 { instant.nanoseconds }
        var now: Int64 { 0 }
    }

    private struct Rooms: Sendable {
        var nodes: [RadioID: Node] = [:]
        var house: HouseRegions
    }

    private let regions: [String]
    private let hub = EventHub(node: NodeName.local)
    private let rooms: Mutex<Rooms>
    private let radios = Mutex<[String: RadioID]>([:])
    private let receivers: Mutex<ReplayedReceivers>
    private let engine: Mutex<PresenceDriver?>

    init(
        regions: [MonitoredRegion], receivers: [Configuration.Receivers] = [], identities: [String: DeviceIdentity],
        _ publish: @escaping @Sendable (Event) -> Void
    ) {
        self.regions = regions.map(\.identifier)
        rooms = Mutex(Rooms(house: HouseRegions(regions.map(\.identifier))))
        engine = Mutex(nil)
        self.receivers = Mutex(ReplayedReceivers(receivers.map { ReceiverSettings($0) }, regions: regions))
        hub.record { event in
            publish(event)
            return true
        }
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
            guard let place = receivers.withLock({ $0.began(node.name, at: now) }) else {
                radios.withLock { $0[node.name] = radio }
                rooms.withLock { $0.nodes[radio] = node }
                driver.radioListens(radio, share: 1, at: now)
                continue
            }
            // The offset is a part of what it reports.
            let receiver = Node(name: node.name, room: place.room, offset: 0, isSmoothed: place.isSmoothed)
            rooms.withLock { $0.nodes[radio] = receiver }
        }
    }

    func received(_ reception: Reception, by node: String, at now: Instant) {
        guard let driver else { return }
        advanceReceivers(to: now)
        advanceRooms(to: now)
        guard let radio = radios.withLock({ $0[node] }) else {
            return receivers.withLock { $0.received(reception, by: node, at: now) }
        }
        var reception = reception
        reception.time = now
        driver.received(reception, by: radio)
    }

    /// Handles the end of the captures. The decisions that are due then are made.
    func end(at now: Instant) {
        advanceReceivers(to: now)
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
            for region in regions where self.regions.indices.contains(region) {
                rooms.house.heard(
                    by: node.name, in: room, self.regions[region], from: beacon, rssi: Double(rssi) + node.offset,
                    isSmoothed: node.isSmoothed, at: now.nanoseconds)
            }
        }
    }

    private func happened(_ event: PresenceEvent, at time: Int64) {
        guard case .action(let action, _) = event else { return }
        let items = rooms.withLock { rooms -> [HouseRegions.Item] in
            switch action {
            case .didEnterRegion(let region, _):
                rooms.house.entered(region, isAlone: rooms.nodes.count == 1, at: time)
            case .didExitRegion(let region): rooms.house.left(region)
            case .didDetermineState(let region, let state): rooms.house.determined(region, state, at: time)
            default: []
            }
        }
        publish(items, at: time)
    }

    // MARK: Receivers of other makes

    /// Passes on what they report up to `now`, each at its time.
    private func advanceReceivers(to now: Instant) {
        var turns = 0
        while let due = receivers.withLock({ $0.nextDeadline }), due <= now {
            let time = turns < Self.maximumTurns ? due : now
            turns += 1
            let reports = receivers.withLock { $0.advance(to: time) }
            advanceRooms(to: time)
            for (name, report) in reports { driver?.received(report, byRadioNamed: name, at: time) }
            guard time < now else { break }
        }
    }

    // MARK: Rooms

    /// More turns of the rooms than this between two receptions, half a day, are not a recording but a clock that was set.
    private static let maximumTurns = 10_000

    /// Makes the decisions up to `now`, each at its time. After ``maximumTurns``, the rest are made at once.
    private func advanceRooms(to now: Instant) {
        var turns = 0
        while let due = rooms.withLock({ $0.house.nextDeadline }), due <= now.nanoseconds {
            let time = turns < Self.maximumTurns ? due : now.nanoseconds
            publish(rooms.withLock { $0.house.advanced(to: time) }, at: time)
            turns += 1
            guard rooms.withLock({ $0.house.nextDeadline ?? .max }) > time else { break }
        }
    }

    private func publish(_ items: [HouseRegions.Item], at time: Int64) {
        for item in items { hub.happened(.house(region: item.region, item.news), at: time) }
    }
}

extension ReceiverSettings {
    package init(_ receivers: Configuration.Receivers) {
        let rooms = receivers.rooms?.mapValues { Place(room: $0.room, offset: $0.offset) }
        self.init(receivers.topics, rooms: rooms)
    }
}
