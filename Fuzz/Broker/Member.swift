import HCI
import IBeacon
import OkaeriEvents
import OkaeriPresence
import RegionMonitoring
import Synchronization

@testable import OkaeriHouse

/// A node of the house, and what its session with the broker holds.
struct Member {
    /// One whose name may stand in a topic, one that may not, and one that looks like the hash of another.
    static let regions = ["keys", "お帰り", "x0123456789ab", "car"]

    static let uuid = BeaconUUID(high: 0xE2C5_6DB5_DFFB_48D2, low: 0xB060_D0F5_A710_96E0)

    let name: String
    var core: BrokerCore
    var hasStarted = false
    var isConnected = false
    var filters: Set<String> = [] {
        didSet { if filters != oldValue { wanted = [:] } }
    }
    /// Whether a topic was found to be subscribed to.
    private var wanted: [String: Bool] = [:]
    /// The values that are published again when a connection begins, and those of them that are published from time to time.
    var values: [String: [UInt8]] = [:]
    var refreshed: Set<String> = []
    var refreshAt = Int64.max
    /// The beacons that are received now, with their receptions by each radio.
    var beacons: [RegionMonitor.BeaconSnapshot] = []
    var batteries: [String: BatteryReport] = [:]
    /// Whether the queue of outputs to the rest of the daemon is full.
    var isFull = false
    var restartedAt: Int64?
    /// Whether this node decided for the house before the input whose outputs are carried out, and as the broker confirmed.
    var (wasDeciding, wasHolding) = (false, false)
    /// The receptions of a receiver's own radio.
    private(set) var collector: HeardCollector?
    private let found = Found()

    /// Whether the collector has found a new sender.
    private final class Found: Sendable {
        private let isFound = Mutex(false)

        func sender() { isFound.withLock { $0 = true } }

        func take() -> Bool {
            isFound.withLock { found in
                defer { found = false }
                return found
            }
        }
    }

    init(_ name: String, incarnation: String, since: Int64) {
        self.name = name
        let isReceiver = name == Site.names[Site.receiver]
        let settings = BrokerSettings(
            node: name, room: name, offset: isReceiver ? 2.5 : 0, site: Site.name, kind: isReceiver ? .receiver : .hub,
            discovery: name == Site.names.last ? nil : Site.discovery, version: "1.0.0")
        core = BrokerCore(
            settings, regions: isReceiver ? [] : Self.regions.indices.prefix(3).map(Self.region),
            incarnation: incarnation, since: since)
    }

    /// Makes the collector. The inputs share the members that have not started.
    mutating func start() {
        hasStarted = true
        let found = found
        collector = HeardCollector { found.sender() }
    }

    /// Returns whether a sender is new.
    func received(_ reception: Reception) -> Bool {
        collector?.received(reception)
        return found.take()
    }

    /// The third of the regions has a phone as well.
    static func region(_ position: Int) -> BrokerRegion {
        let constraint = BeaconConstraint.major(uuid, UInt16(position + 1))
        let phone = position == 2 ? [RegionSign(.phone(file: "phone.key"))] : []
        return BrokerRegion(
            MonitoredRegion(identifier: regions[position], RegionSign(.beacon(constraint)), or: phone))
    }

    static func beacon(_ position: Int, minor: UInt16) -> BeaconIdentity {
        BeaconIdentity(uuid: uuid, major: UInt16(position + 1), minor: minor)
    }

    mutating func wants(_ topic: String) -> Bool {
        if let known = wanted[topic] { return known }
        let isWanted = filters.contains { Self.matches($0, topic) }
        wanted[topic] = isWanted
        return isWanted
    }

    /// All filters of the contract have one level of any name at most.
    static func matches(_ filter: String, _ topic: String) -> Bool {
        guard let place = filter.utf8.firstIndex(of: UInt8(ascii: "+")) else { return filter == topic }
        let (start, end) = (filter.utf8[..<place], filter.utf8[filter.utf8.index(after: place)...])
        guard topic.utf8.count > start.count + end.count, topic.utf8.starts(with: start) else { return false }
        let rest = topic.utf8.dropFirst(start.count)
        return rest.suffix(end.count).elementsEqual(end)
            && !rest.dropLast(end.count).contains(UInt8(ascii: "/"))
    }
}
