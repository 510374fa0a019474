import Rooms
import House
import MQTT
import RegionMonitoring

/// The first places of a site's beacons: one in every third region, received by three nodes that stand side by side.
/// `measure` knows the same.
struct World {
    let nodes: Int
    let regions: Int

    /// The receptions of a node, and the expected agreement of the house.
    struct Expectation: Hashable {
        var state = RegionState.outside
        var room: String?
    }

    static func node(_ index: Int) -> String { "n\(padded(index, 3))" }
    static func room(_ index: Int) -> String { "room-\(index)" }
    static func region(_ index: Int) -> String { "r\(padded(index, 4))" }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    var identifiers: [String] { (0..<regions).map(Self.region) }

    /// Returns the nodes that receive a region's beacon, with the signal in dBm: the first stands beside it.
    func hearers(of region: Int) -> [(node: Int, rssi: Double)] {
        guard region % 3 == 0 else { return [] }
        let first = region / 3 * 7 % nodes
        return [-58, -74, -80].enumerated().map { ((first + $0) % nodes, $1) }
    }

    func expectation(of region: Int) -> Expectation {
        guard let first = hearers(of: region).first else { return Expectation() }
        return Expectation(state: .inside, room: Self.room(first.node))
    }

    func settings(of node: Int, discovery: String?) -> BrokerSettings {
        BrokerSettings(
            node: Self.node(node), room: Self.room(node), site: "site", discovery: discovery, version: "1.0.0")
    }
}

/// Numbers that jump like a signal, the same in each run.
struct Noise {
    private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// About normal, with a standard deviation of 3 dB.
    mutating func next() -> Double {
        var sum = -6.0
        for _ in 0..<12 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            sum += Double(state >> 11) / Double(1 << 53)
        }
        return sum * 3
    }
}
