import Foundation
import OkaeriEvents
import OkaeriMQTT
import OkaeriPlumbing
import OkaeriRooms
import RegionMonitoring
import Testing

@testable import OkaeriHouse

/// A hub that ends before the broker is back publishes its events after its next start.
struct UnsentEventTests {
    private var bench = HouseBench()

    private func memory() throws -> HouseMemory { try #require(bench.nodes["hall"]?.core.memory) }

    private mutating func start() {
        bench.startHub("hall")
        bench.see("hall", .outside, isEvent: false)
        bench.see("hall", .inside)
        bench.pass(1)
    }

    /// The beacon leaves while the broker is away, and the hub ends.
    private mutating func leaveAndEnd() throws -> HouseMemory {
        bench.cut("hall")
        bench.see("hall", .outside)
        bench.pass(4)
        let memory = try memory()
        bench.kill("hall", will: false)
        return memory
    }

    @Test mutating func `An event that waited for the broker is published after a restart, once`() throws {
        start()
        let memory = try leaveAndEnd()
        #expect(memory.waiting["keys"]?.map(\.number) == [3])
        bench.pass(20)
        bench.startHub("hall", memory: memory)
        bench.see("hall", .outside, isEvent: false)
        bench.pass(5)
        #expect(bench.events == ["enter", "exit"])
        #expect(try self.memory().waiting.isEmpty)
        bench.cut("hall")
        bench.connect("hall")
        bench.pass(5)
        #expect(bench.events == ["enter", "exit"])
    }

    @Test mutating func `An event of this run follows that of an earlier one`() throws {
        start()
        let memory = try leaveAndEnd()
        bench.startHub("hall", memory: memory, connects: false)
        bench.see("hall", .inside)
        bench.pass(4)
        bench.connect("hall")
        bench.pass(5)
        #expect(bench.events == ["enter", "exit", "enter"])
    }

    @Test mutating func `A wall clock that went back makes no event new`() throws {
        start()
        var memory = try leaveAndEnd()
        for index in memory.waiting["keys"]?.indices ?? 0..<0 {
            memory.waiting["keys"]?[index].time? += 3600 * HouseBench.second
        }
        bench.startHub("hall", memory: memory)
        bench.pass(5)
        #expect(bench.events == ["enter"])
    }

    @Test mutating func `An event that is older than a minute is not published`() throws {
        start()
        let memory = try leaveAndEnd()
        bench.pass(70)
        bench.startHub("hall", memory: memory)
        bench.pass(5)
        #expect(bench.events == ["enter"])
    }

    /// The state is published with the decision, the event when it is recorded.
    @Test mutating func `An event that the broker lacks is published, though it has the state`() throws {
        start()
        bench.see("hall", .outside)
        let state = bench.retained
        bench.kill("hall", will: false)
        bench = HouseBench()
        start()
        let memory = try leaveUnheard(starts: false)
        bench.restartBroker(with: state)
        bench.startHub("hall", memory: memory)
        bench.pass(5)
        #expect(bench.events == ["enter", "exit"])
    }

    @Test mutating func `A broker without data receives the event that waited`() throws {
        start()
        let memory = try leaveAndEnd()
        bench.restartBroker(with: [:])
        bench.startHub("hall", memory: memory)
        bench.pass(5)
        #expect(bench.events == ["enter", "exit"])
    }

    // MARK: A connection that is dead, and the hub does not know

    /// The beacon leaves, and the broker does not receive it; the hub and the broker end.
    private mutating func leaveUnheard(starts: Bool = true) throws -> HouseMemory {
        if starts { start() }
        bench.dead = ["hall"]
        bench.see("hall", .outside)
        bench.pass(1)
        #expect(bench.events == ["enter"])
        let memory = try memory()
        bench.kill("hall", will: false)
        return memory
    }

    @Test(arguments: [true, false])
    mutating func `An event without the broker's answer is published after a restart, once`(isWiped: Bool) throws {
        let memory = try leaveUnheard()
        bench.restartBroker(with: isWiped ? [:] : bench.retained)
        bench.startHub("hall", memory: memory)
        bench.see("hall", .outside, isEvent: false)
        bench.pass(5)
        #expect(bench.events == ["enter", "exit"])
        #expect(try self.memory().waiting.isEmpty)
    }

    @Test mutating func `An event with the broker's answer is published once, though the broker loses its data`() throws
    {
        start()
        bench.see("hall", .outside)
        bench.pass(1)
        let memory = try memory()
        #expect(memory.waiting.isEmpty)
        bench.kill("hall", will: false)
        bench.restartBroker(with: [:])
        bench.startHub("hall", memory: memory)
        bench.pass(5)
        #expect(bench.events == ["enter", "exit"])
    }

    @Test mutating func `A hub whose connection was dead sends its event again when it is back`() throws {
        start()
        bench.dead = ["hall"]
        bench.see("hall", .outside)
        bench.pass(20)
        bench.cut("hall")
        bench.connect("hall")
        bench.pass(5)
        #expect(bench.events == ["enter", "exit"])
        #expect(try memory().waiting.isEmpty)
    }

    @Test mutating func `The disk is told of each answer`() throws {
        start()
        var core = try #require(bench.nodes["hall"]?.core)
        let now = Moment(instant: bench.now, wall: 1_780_000_000 * HouseBench.second)
        let outputs = core.happened(.didExitRegion(region: "keys"), at: now)
        #expect(outputs.contains { if case .happened(.house, _) = $0 { true } else { false } })
        let event = try #require(
            core.recorded(.didExitRegion(isOwner: true), of: "keys", at: bench.now).compactMap {
                if case .publish(let event) = $0 { event } else { nil }
            }.first)
        #expect(core.memory.waiting["keys"]?.count == 1)
        #expect(core.acknowledged(.event(event.topic, Array("{}".utf8))) == [])
        #expect(core.acknowledged(event) == [.memoryChanged] && core.memory.waiting.isEmpty)
        #expect(core.acknowledged(event) == [])
    }

    /// The disk is so slow that more events of a region wait for it than are stored.
    @Test func `Events that were given up are not taken for later ones`() {
        var events = UndeliveredEvents()
        for number in 1...70 as ClosedRange<UInt64> {
            events.decided(number, of: "keys")
            events.expected(number % 2 == 1 ? .enter : .exit, of: "keys", in: nil, at: nil)
        }
        #expect(
            (1...70).map { _ in events.recorded(of: "keys")?.number } == Array(repeating: nil, count: 6)
                + (7...70).map { $0 })
        #expect(events.recorded(of: "keys") == nil)
        // A region that was removed, and is there again.
        events.decided(71, of: "keys")
        events.expected(.enter, of: "keys", in: nil, at: nil)
        events.configured { _ in false }
        events.decided(72, of: "keys")
        events.expected(.enter, of: "keys", in: nil, at: nil)
        #expect(events.recorded(of: "keys") == nil)
        #expect(events.recorded(of: "keys")?.number == 72)
    }

    @Test func `The memory of a node is read as it was written`() throws {
        for memory in [
            HouseMemory(
                announced: [
                    "keys": .init(state: .inside, number: 7), "bag": .init(state: .outside, number: 2, isOwn: true),
                ],
                standbys: ["attic"]), HouseMemory(),
        ] {
            #expect(try JSONDecoder().decode(HouseMemory.self, from: JSONEncoder().encode(memory)) == memory)
        }
    }

    @Test func `The memory is bounded`() throws {
        var core = BrokerCore(
            BrokerSettings(node: "hall", room: nil, site: "home", discovery: nil, version: "1"),
            regions: [HouseBench.region("keys")], incarnation: "a", since: 0)
        let event = HouseEvent(kind: .enter, room: "hall", time: 5, number: 9)
        let many = [HouseMemory.Waiting](repeating: .init(event), count: 5000)
        core.restored(
            HouseMemory(announced: [:], standbys: [], waiting: ["keys": many, "other": many]), isStale: false)
        #expect(core.memory.waiting == ["keys": [HouseMemory.Waiting](repeating: .init(event), count: 8)])
        core.restored(HouseMemory(announced: [:], standbys: [], waiting: ["keys": many]), isStale: true)
        #expect(core.memory.waiting.isEmpty)
    }

    /// An arrival waits 300 ms for the radios of the room. The hub ends in this time.
    @Test(arguments: [RegionState.inside, .outside])
    mutating func `An arrival whose room was not known yet is announced after a restart, once`(later: RegionState)
        throws
    {
        bench.startHub("hall")
        bench.startReceiver("attic")
        bench.pass(1)
        bench.receive("attic")
        bench.see("hall", .outside, isEvent: false)
        bench.see("hall", .inside)
        let memory = try JSONDecoder().decode(HouseMemory.self, from: JSONEncoder().encode(memory()))
        #expect(bench.events == [] && memory.arriving["keys"]?.count == 1)
        bench.kill("hall")
        bench.pass(5)
        bench.startHub("hall", memory: memory)
        bench.pass(1)
        // The beacon is still there, or has left meanwhile.
        bench.see("hall", later, isEvent: later == .outside)
        bench.pass(2)
        let announced = later == .inside ? ["enter"] : ["enter", "exit"]
        #expect(bench.events == announced)
        #expect(try self.memory().arriving.isEmpty)
        let next = try self.memory()
        bench.kill("hall")
        bench.startHub("hall", memory: next)
        bench.see("hall", later, isEvent: false)
        bench.pass(2)
        #expect(bench.events == announced)
    }

    @Test mutating func `An arrival that is too old is not announced`() throws {
        bench.startHub("hall")
        var core = try #require(bench.nodes["hall"]?.core)
        let memory = HouseMemory(
            announced: ["keys": .init(state: .inside, number: 7)], standbys: [], arriving: ["keys": [7], "gone": [1]])
        core.restored(memory, isStale: true)
        #expect(core.memory.arriving.isEmpty)
        core.restored(memory, isStale: false)
        #expect(core.memory.arriving == ["keys": [7]])
    }
}
