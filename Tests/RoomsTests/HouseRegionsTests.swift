import RegionMonitoring
import Testing

@testable import OkaeriRooms

/// The news of the house about its regions, and their order.
@Suite struct HouseRegionsTests {
    private static let second: Int64 = 1_000_000_000
    private var house = HouseRegions(["keys"])
    private var now: Int64 = 1000 * second
    private var log: [String] = []

    private mutating func note(_ items: [HouseRegions.Item]) {
        log += items.map { item in
            switch item.news {
            case .didDetermineState(let state): state.rawValue
            case .didEnterRegion(let room, _): "enter \(room ?? "?")"
            case .didExitRegion: "exit"
            case .didDetermineRoom(let room): "room \(room ?? "none")"
            }
        }
    }

    /// The region monitor announces an enter or exit, and the state.
    private mutating func see(_ state: RegionState, isAlone: Bool = false) {
        switch state {
        case .inside: note(house.entered("keys", isAlone: isAlone, at: now))
        case .outside: note(house.left("keys"))
        case .unknown: break
        }
        note(house.determined("keys", state, at: now))
    }

    /// Time passes, with the signals of each room twice a second.
    private mutating func pass(_ seconds: Double, _ signals: [String: Double] = [:]) {
        let end = now + Int64(seconds * Double(Self.second))
        var next = now
        while true {
            let due = house.nextDeadline ?? .max
            guard min(due, next) <= end else { break }
            now = max(now, min(due, next))
            if due <= now { note(house.advanced(to: now)) }
            guard next <= now else { continue }
            hear(signals)
            next += Self.second / 2
        }
        now = end
    }

    private mutating func hear(_ signals: [String: Double]) {
        for (room, rssi) in signals.sorted(by: { $0.key < $1.key }) {
            house.heard(by: room, in: room, "keys", from: 1, rssi: rssi, at: now)
        }
    }

    @Test func `The rooms of regions are determined together, five times a second at most`() {
        var house = HouseRegions((0..<50).map { "region \($0)" })
        var (now, wakes) = (Int64(0), 0)
        for step in 0..<500 {
            let next = Int64(step) * Self.second / 50
            while let due = house.nextDeadline, due <= next {
                now = max(now, due)
                _ = house.advanced(to: now)
                wakes += 1
            }
            now = next
            house.heard(by: "hall", in: "hall", "region \(step % 50)", from: 1, rssi: -60, at: now)
        }
        #expect(wakes <= 51)
    }

    @Test mutating func `An arrival waits 300 ms for the nearest radio, then enter, state and room follow in order`() {
        hear(["cellar": -85])
        see(.inside)
        #expect(log == [])
        pass(0.1)
        hear(["hall": -55])
        pass(0.15)
        #expect(log == [])
        pass(0.06)
        #expect(log == ["enter hall", "inside"])
        pass(5, ["cellar": -85, "hall": -55])
        #expect(log == ["enter hall", "inside", "room hall"])
        #expect(house.room(of: "keys") == "hall")
    }

    @Test mutating func `An arrival without another radio is announced at once`() {
        hear(["hall": -55])
        see(.inside, isAlone: true)
        #expect(log == ["enter hall", "inside"])
    }

    @Test mutating func `An arrival without any reception has no room`() {
        see(.inside)
        pass(1)
        #expect(log == ["enter ?", "inside"])
        #expect(house.room(of: "keys") == nil)
    }

    @Test mutating func `An exit during the wait follows the enter`() {
        hear(["hall": -55])
        see(.inside)
        pass(0.1)
        see(.outside)
        #expect(log == ["enter hall", "inside", "exit", "outside"])
        pass(10)
        #expect(log.count == 4 && house.room(of: "keys") == nil && house.nextDeadline == nil)
    }

    @Test mutating func `An adapter that is lost during the wait does not lose the enter`() {
        hear(["hall": -55])
        see(.inside)
        pass(0.1)
        see(.unknown)
        #expect(log == ["enter hall", "inside", "unknown"])
    }

    @Test mutating func `The room ends behind the exit, and the search for the next one begins anew`() {
        see(.inside)
        pass(10, ["hall": -55, "attic": -80])
        log = []
        see(.outside)
        #expect(log == ["exit", "outside", "room none"])
        log = []
        hear(["attic": -60])
        see(.inside)
        pass(10, ["attic": -60])
        #expect(log == ["enter attic", "inside", "room attic"])
    }

    @Test mutating func `A beacon that moves changes its room without an enter`() {
        see(.inside)
        pass(60, ["hall": -55, "attic": -80])
        log = []
        pass(30, ["hall": -80, "attic": -55])
        #expect(log == ["room attic"])
    }

    @Test mutating func `An unknown state is not an exit, and the room is known again at once behind it`() {
        see(.inside)
        pass(10, ["hall": -55])
        log = []
        see(.unknown)
        #expect(log == ["unknown", "room none"])
        note(house.determined("keys", .inside, at: now))
        #expect(log == ["unknown", "room none", "inside", "room hall"])
    }

    @Test mutating func `A state that is the same as before is not news`() {
        for _ in 0..<3 { note(house.determined("keys", .outside, at: now)) }
        #expect(log == ["outside"])
        see(.inside)
        pass(10, ["hall": -55])
        log = []
        for _ in 0..<3 { note(house.determined("keys", .inside, at: now)) }
        #expect(log == [])
    }

    @Test mutating func `A changed configuration keeps the regions that stay`() {
        see(.inside)
        pass(10, ["hall": -55])
        log = []
        house.replaced(with: ["car", "keys"])
        #expect(house.room(of: "keys") == "hall")
        note(house.determined("keys", .inside, at: now))
        #expect(log == [])
        house.replaced(with: ["car"])
        #expect(house.room(of: "keys") == nil)
        see(.inside)
        hear(["hall": -55])
        pass(10)
        #expect(log == [] && house.nextDeadline == nil)
        house.replaced(with: ["keys"])
        see(.outside)
        #expect(log == ["exit", "outside"])
    }

    @Test mutating func `A changed configuration keeps an arrival that waits`() {
        hear(["hall": -55])
        see(.inside)
        house.replaced(with: ["keys", "car"])
        pass(0.5)
        #expect(log == ["enter hall", "inside"])
    }
}
