import Rooms
import House
import Glibc
import Plumbing
import RegionMonitoring
import Synchronization

/// Nodes of one process. A process of many is for the many; one of one can be killed or stopped as a machine would be.
///
/// Standard input contains commands, a line each; numbers are those of nodes and regions:
///
///     hear REGION NODE RSSI        a node of this process begins to receive a region's beacon
///     quiet REGION NODE            the node stops receiving it
///     expect REGION STATE ROOM     the expected state of the house; ROOM is the number of a node, or -
///     start SECONDS                connects all nodes, which determine absent beacons after so many seconds
///     check                        answers: the number of wrong states, the number of nodes without a connection, the
///                                  owners of the nodes (the different digests), the first wrong state
///     owners                       answers the owner of each region, by the first node
///     events                       answers how many nodes received which event how often: `REGION KIND NODES TIMES`, and an empty line
final class Crowd {
    private let world: World
    private let nodes: [Int: SimulatedNode]
    private var expectations: [World.Expectation]

    init(_ world: World, of range: Range<Int>, port: UInt16, discovery: String?) throws {
        self.world = world
        var nodes: [Int: SimulatedNode] = [:]
        for index in range {
            nodes[index] = try SimulatedNode(index, of: world, port: port, discovery: discovery)
        }
        self.nodes = nodes
        expectations = (0..<world.regions).map(world.expectation)
    }

    private var inOrder: [SimulatedNode] { nodes.sorted { $0.key < $1.key }.map(\.value) }

    func obey() throws {
        while let line = readLine() {
            let words = line.split(separator: " ")
            let numbers = words.map { Int($0) ?? -1 }
            switch (words.first, words.count) {
            case ("hear", 4): nodes[numbers[2]]?.sees(numbers[1], rssi: Double(numbers[3]))
            case ("quiet", 3): nodes[numbers[2]]?.sees(numbers[1], rssi: nil)
            case ("expect", 4):
                expectations[numbers[1]] = .init(
                    state: RegionState(rawValue: String(words[2])) ?? .unknown,
                    room: numbers[3] < 0 ? nil : World.room(numbers[3]))
            case ("start", 2): try start(outsideAfter: numbers[1])
            case ("check", 1): SiteBenchmark.say(check())
            case ("owners", 1): SiteBenchmark.say(owners().map { $0 ?? "-" }.joined(separator: " "))
            case ("events", 1): SiteBenchmark.say(published())
            default: SiteBenchmark.say("not understood: \(line)")
            }
        }
    }

    private func start(outsideAfter seconds: Int) throws {
        let nodes = inOrder
        for node in nodes { node.start() }
        // Every beacon sends once a second, a tenth of them at a time.
        try BlockingThread.start {
            var noise = Noise()
            var turns = 0
            while true {
                if turns == seconds * 10 { for node in nodes { node.determines() } }
                usleep(100_000)
                turns += 1
                for node in nodes { node.advertise({ $0 % 10 == turns % 10 }, &noise) }
            }
        }
    }

    private func owners() -> [String?] {
        inOrder.first?.broker.withHouse { house in (0..<world.regions).map { house.owner(of: World.region($0)) } } ?? []
    }

    private func check() -> String {
        var (wrong, unconnected) = (0, 0)
        var digests: Set<UInt64> = []
        var first = ""
        let identifiers = world.identifiers
        for node in inOrder {
            node.broker.withHouse { house in
                if !house.isConnected { unconnected += 1 }
                var digest: UInt64 = 0xCBF2_9CE4_8422_2325
                for (region, expected) in zip(identifiers, expectations) {
                    for octet in (house.owner(of: region) ?? "-").utf8 {
                        digest = (digest ^ UInt64(octet)) &* 0x100_0000_01B3
                    }
                    let state = house.state(of: region)
                    guard state?.state != expected.state || state?.room != expected.room else { continue }
                    wrong += 1
                    guard first.isEmpty else { continue }
                    first =
                        "\(node.name): \(region) of \(house.owner(of: region) ?? "no node") is "
                        + "\(state?.state.rawValue ?? "nothing") in \(state?.room ?? "-"), not "
                        + "\(expected.state.rawValue) in \(expected.room ?? "-")"
                }
                digests.insert(digest)
            }
        }
        let list = digests.map { String($0, radix: 16) }.sorted().joined(separator: ",")
        return "\(wrong) \(unconnected) \(list) \(first)"
    }

    private func published() -> String {
        var counts: [String: Int] = [:]
        for node in inOrder {
            for (what, times) in node.counts { counts["\(what) \(times)", default: 0] += 1 }
        }
        return counts.map { "\($0) \($1)\n" }.sorted().joined()
    }
}
