import Plumbing
import RegionMonitoring
import Testing

@testable import Agreement

/// The choice of the writer for the house.
@Suite struct OwnershipTests {
    private let regions = (0..<300).map { "region-\($0)" }
    private let nodes = (0..<30).map { "node-\($0)" }

    private func owners(_ nodes: [String]) -> [String: String] {
        Dictionary(uniqueKeysWithValues: regions.map { ($0, Ownership.owner(of: $0, among: nodes) ?? "") })
    }

    /// Nodes of different versions must find the same owner: these may never change.
    @Test func `the weights are those of every version`() {
        #expect("".utf8.fnv1a == 0xCBF2_9CE4_8422_2325)
        #expect("keys".utf8.fnv1a == 0x5819_87D7_5CBD_3E2D)
        #expect(Ownership.owner(of: "keys", among: ["attic", "hall", "kitchen"]) == "hall")
        #expect(Ownership.owner(of: Ownership.hub, among: ["attic", "hall", "kitchen"]) == "kitchen")
        #expect(Ownership.owner(of: "keys", among: []) == nil)
    }

    @Test func `the order in which nodes are known decides nothing`() {
        #expect(owners(nodes) == owners(nodes.reversed()))
        #expect(owners(nodes) == owners(nodes + nodes))
    }

    @Test func `only the regions of a node that goes move`() {
        let before = owners(nodes)
        let after = owners(nodes.filter { $0 != "node-7" })
        for region in regions where before[region] != "node-7" { #expect(after[region] == before[region]) }
        #expect(!after.values.contains("node-7"))
    }

    @Test func `they are spread as by chance`() {
        let counts = Dictionary(grouping: owners(nodes).values) { $0 }.mapValues(\.count)
        #expect(counts.count == nodes.count, "each has some")
        // Ten are due to each; with a standard deviation of three, six of them are far.
        #expect((counts.values.max() ?? 0) <= 28)
    }
}
