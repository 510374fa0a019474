import Events
import Plumbing
import RegionMonitoring
import Testing

@testable import House

struct StandbyTests {
    private var bench = HouseBench()

    private var announced: [String] {
        bench.log.filter { $0.topic == "okaeri/home/region/keys/event" }
            .compactMap { entry in Wire.event(Array(entry.payload.utf8)).map { "\(entry.node) \($0.kind) \($0.number)" } }
    }

    /// The engine of a node determines a state.
    private mutating func see(_ name: String, _ state: RegionState) {
        guard var engine = bench.nodes[name]?.engine as? HouseModel.Engine else { return }
        let kinds = engine.became(state)
        bench.change(name) { $0.engine = engine }
        bench.determined(name, kinds)
    }

    private var engine: HouseModel.Engine { .init(at: bench.now) }

    @Test mutating func `An event that both announced during a cut is published once`() {
        bench.startHub("hub", engine: engine)
        bench.startStandby("attic", engine: engine)
        see("hub", .outside)
        see("attic", .outside)
        bench.pass(10)
        bench.cut("hub")
        bench.pass(20)
        see("hub", .inside)
        see("attic", .inside)
        bench.pass(20)
        bench.connect("hub")
        bench.pass(5)
        #expect(announced == ["attic enter 2"])
        #expect(bench.nodes["hub"]?.core.standbys == ["attic"])
    }
}
