import Rooms
import HCI
import House
import Events
import IBeacon
import MQTT
import RegionMonitoring
import Synchronization

/// One node: the parts of the daemon behind its hub, and a simulated Bluetooth.
final class SimulatedNode: Sendable {
    let name: String
    let broker: Broker
    private let world: World

    /// The signals of the beacons, by region's number, in dBm.
    private let air: Mutex<[Int: Double]>
    /// The number of enter and exit events that this node's consumers received, by `REGION enter` and `REGION exit`.
    private let published: Published
    private let events: AsyncStream<Event>.Continuation

    private final class Published: Sendable {
        let counts = Mutex<[String: Int]>([:])
    }

    init(_ index: Int, of world: World, port: UInt16, discovery: String?) throws {
        name = World.node(index)
        self.world = world
        let published = Published()
        self.published = published
        let (stream, events) = AsyncStream.makeStream(of: Event.self)
        self.events = events
        let outputs = Broker.Outputs(
            happened: { kind, time in
                // The hub has no disk here: each event is recorded at once.
                events.yield(Event(time: time, kind: kind))
                guard case .house(let region, let news) = kind else { return }
                switch news {
                case .didEnterRegion: published.counts.withLock { $0["\(region) enter", default: 0] += 1 }
                case .didExitRegion: published.counts.withLock { $0["\(region) exit", default: 0] += 1 }
                case .didDetermineState, .didDetermineRoom: break
                }
            }, answered: { _, _ in }, noted: { SiteBenchmark.say("note \($0)") })
        broker = try Broker(
            world.settings(of: index, discovery: discovery), broker: .init(host: "127.0.0.1", port: port),
            regions: world.identifiers.map { BrokerRegion($0) }, events: stream, outputs: outputs)
        var heard: [Int: Double] = [:]
        for region in 0..<world.regions {
            for hearer in world.hearers(of: region) where hearer.node == index { heard[region] = hearer.rssi }
        }
        air = Mutex(heard)
    }

    /// Connects. A region whose beacon is received is inside at once; the others are determined later, as by a region
    /// monitor.
    func start() {
        for region in air.withLock({ Array($0.keys) }) { broker.determined(World.region(region), .inside) }
        events.yield(
            Event(time: 0, kind: .bluetoothStateDidUpdate(.init(state: .poweredOn, adapter: "hci0", reason: ""))))
        broker.measure { [self] in
            air.withLock { air in
                air.map {
                    .init(
                        identity: BeaconIdentity(uuid: BeaconUUID(high: 1, low: 1), major: 1, minor: 1), rssi: Int8($1),
                        accuracy: 2, regions: [World.region($0)])
                }
            }
        }
        Task { [broker] in try await broker.run() }
    }

    /// Determines that regions whose beacons were not received are outside.
    func determines() {
        let heard = air.withLock(\.self)
        for region in 0..<world.regions where heard[region] == nil { broker.determined(World.region(region), .outside) }
    }

    /// A beacon of the region is here, or no more.
    func sees(_ region: Int, rssi: Double?) {
        air.withLock { $0[region] = rssi }
        broker.determined(World.region(region), rssi == nil ? .outside : .inside)
    }

    /// Each beacon of these regions sends once.
    func advertise(_ isTurn: (Int) -> Bool, _ noise: inout Noise) {
        for (region, rssi) in air.withLock(\.self) where isTurn(region) {
            let signal = Int8(clamping: Int(rssi + noise.next()))
            broker.heard(World.region(region), from: UInt64(region), rssi: signal)
        }
    }

    var counts: [String: Int] { published.counts.withLock { $0 } }
}
