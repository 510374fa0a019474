import OkaeriEvents
import OkaeriPlumbing
import OkaeriPresence
import RegionMonitoring
import Testing

@testable import OkaeriHouse

/// Announcements of a standby that the broker has lost.
extension StandbyTests {
    /// A standby that has announced an arrival, and a hub whose disk has the state before; the broker has lost both or has older data.
    private mutating func loseTakeover(_ data: [String: [UInt8]] = [:]) throws -> HouseMemory {
        start(.outside)
        let disk = try #require(bench.nodes["hub"]?.core.memory)
        let old = data.isEmpty ? [:] : bench.retained
        bench.kill("hub")
        bench.pass(35)
        see(.inside, at: "attic")
        #expect(announced == ["attic enter 2"] && hooks("attic") == ["enter keys"])
        bench.restartBroker(with: old)
        return disk
    }

    @Test(arguments: [true, false], [true, false])
    mutating func `A hub continues from what a standby has announced and the broker has lost`(
        hubIsFirst: Bool, isOld: Bool
    ) throws {
        let disk = try loseTakeover(isOld ? ["": []] : [:])
        if !hubIsFirst { bench.connect("attic") }
        bench.startHub("hub", memory: disk, engine: engine(knowing: .outside))
        see(.inside, at: "hub")
        if hubIsFirst { bench.connect("attic") }
        bench.pass(10)
        #expect(bench.nodes["hub"]?.core.isHolding == true && hooks("hub").isEmpty && announced == ["attic enter 2"])
        #expect(word?.author == "hub" && word?.number == 2 && word?.state == .inside)
        see(.outside, at: "hub", "attic")
        #expect(announced == ["attic enter 2", "hub exit 3"] && hooks("attic") == ["enter keys"])
    }

    @Test mutating func `A standby that was off repeats what it had announced`() throws {
        let disk = try loseTakeover()
        let own = try #require(bench.nodes["attic"]?.core.memory)
        bench.kill("attic")
        bench.startStandby("attic", memory: own, engine: engine(knowing: .inside))
        bench.startHub("hub", memory: disk, engine: engine(knowing: .outside))
        see(.inside, at: "hub")
        bench.pass(10)
        #expect(hooks("hub").isEmpty && word?.number == 2 && word?.author == "hub")
    }

    @Test(arguments: [true, false])
    mutating func `A hub continues from what its standby repeats after the hub began to decide`(isInside: Bool) throws {
        let disk = try loseTakeover()
        let own = try #require(bench.nodes["attic"]?.core.memory)
        bench.kill("attic")
        bench.startHub("hub", memory: disk, engine: engine(knowing: .outside))
        see(isInside ? .inside : .outside, at: "hub")
        bench.pass(40)
        // Without the standby, the arrival is new for the hub.
        let before = isInside ? ["attic enter 2", "hub enter 2"] : ["attic enter 2"]
        #expect(bench.nodes["hub"]?.core.isHolding == true && announced == before)
        bench.startStandby("attic", memory: own, engine: engine(knowing: .inside))
        bench.pass(5)
        #expect(announced == (isInside ? before : before + ["hub exit 3"]), "\(announced)")
        #expect(word?.author == "hub" && word?.number == (isInside ? 2 : 3))
        #expect(word?.state == (isInside ? .inside : .outside))
    }

    @Test(arguments: [("loft", 7), ("attic", 1), ("attic", 0)])
    mutating func `A hub that decides takes over no state of a node that is not its standby, and no earlier one`(
        author: String, number: Int
    ) throws {
        start(.inside)
        bench.overwrite(
            "okaeri/home/region/keys",
            #"{"state":"outside","last":"outside","name":"keys","number":\#(number),"node":"\#(author)"}"#)
        bench.pass(3)
        #expect(word?.author == "hub" && word?.state == .inside && word?.number == 1 && hooks("hub") == ["enter keys"])
    }

    /// Publishes later states of the region in the name of a node, inside and outside in turn.
    private mutating func invent(_ count: Int, by author: String, over seconds: Double) {
        for index in 1...count {
            let state = index.isMultiple(of: 2) ? "inside" : "outside"
            bench.send(
                "okaeri/home/region/keys",
                #"{"state":"\#(state)","last":"\#(state)","name":"keys","number":\#(index + 10),"node":"\#(author)"}"#)
            bench.pass(seconds / Double(count))
        }
    }

    @Test mutating func `Invented states of a standby change a region once a minute at most`() {
        start(.inside)
        let before = hooks("hub").count
        invent(290, by: "attic", over: 50)
        #expect(hooks("hub").count - before <= 1, "\(hooks("hub"))")
        #expect(bench.nodes["hub"]?.core.isHolding == true)
        invent(290, by: "attic", over: 29)
        #expect(hooks("hub").count - before <= 2, "\(hooks("hub"))")
        bench.pass(5)
        #expect(word?.author == "hub")
    }
}
