import RegionMonitoring
import TestSupport
import Testing

@testable import Agreement

/// The choice of a beacon's room.
@Suite struct RoomEstimatorTests {
    private var rooms = RoomEstimator()
    private var generator = SeededGenerator(seed: 7)
    private var now: Int64 = 0
    private var reported: [(at: Double, room: String)] = []

    /// Receivers hear the beacon so strongly for so many seconds, twice a second, with a noise of 3 dB. A node's room is its name
    /// without a number.
    private mutating func hear(_ signals: [(node: String, signal: Double)], for seconds: Double) {
        for _ in 0..<Int(seconds * 2) {
            now += 500_000_000
            for (node, signal) in signals {
                // Uniform: of 3 dB where it is 5.2 wide on each side.
                let noise = Double.random(in: -5.2...5.2, using: &generator)
                let room = node.filter { !$0.isNumber }
                rooms.heard(by: node, in: room, signal: signal + noise, spread: 3, at: now)
            }
            rooms.advance(to: now)
            if let room = rooms.room, room != reported.last?.room { reported.append((Double(now) / 1e9, room)) }
        }
    }

    @Test mutating func `a person who walks is followed`() {
        hear([("hall", -55), ("attic", -80)], for: 30)
        hear([("hall", -68), ("attic", -68)], for: 3)
        hear([("hall", -80), ("attic", -55)], for: 20)
        #expect(reported.map(\.room) == ["hall", "attic"])
        #expect((reported.last?.at ?? 99) < 40)
    }

    @Test mutating func `a first room that is wrong is put right, though the beacon lies still`() {
        rooms.heard(by: "attic", in: "attic", signal: -70, spread: 3, at: now)
        now += 2_000_000_000
        rooms.advance(to: now)
        #expect(rooms.room == "attic")
        hear([("hall", -54), ("attic", -70)], for: 90)
        #expect(reported.map(\.room).suffix(1) == ["hall"])
        #expect((reported.last?.at ?? 99) < 60, "reported at \(reported)")
    }

    @Test mutating func `between two receivers it is still`() {
        hear([("hall", -66), ("attic", -68)], for: 7200)
        #expect(reported.count <= 2, "\(reported)")
    }

    /// If each alone would have to receive for longer: together they have less noise.
    @Test func `several receivers of a room decide sooner than one`() {
        func reported(by nodes: [String]) -> Double {
            var rooms = RoomEstimator()
            for half in 0..<600 {
                let now = Int64(half) * 500_000_000
                rooms.heard(by: "hall", in: "hall", signal: -85, spread: 6, at: now)
                // So slowly that it does not count for moving.
                for node in nodes {
                    rooms.heard(by: node, in: "attic", signal: -86 + Double(half) / 20, spread: 6, at: now)
                }
                rooms.advance(to: now)
                if rooms.room == "attic" { return Double(half) / 2 }
            }
            return .infinity
        }
        #expect(reported(by: ["one", "two", "three"]) < reported(by: ["one"]) - 1)
    }

    /// A second receiver behind the wardrobe takes nothing from what the first one hears.
    @Test mutating func `a receiver that hears it badly does not speak against its room`() {
        hear([("hall", -55), ("attic1", -75), ("attic2", -90)], for: 30)
        hear([("hall", -75), ("attic1", -60), ("attic2", -90)], for: 30)
        #expect(reported.map(\.room) == ["hall", "attic"])
        #expect((reported.last?.at ?? 99) < 35, "\(reported)")
    }

    @Test(arguments: [false, true])
    mutating func `a beacon that stops keeps its room while the receivers detect it one after the other`(
        isGone: Bool
    ) {
        hear([("hall", -55), ("attic", -75)], for: 10)
        rooms.heard(by: "hall", in: "hall", signal: nil, spread: nil, age: 2.5, at: now)
        // A refresh without an advertisement since then.
        now += 3_000_000_000
        rooms.heard(by: "attic", in: "attic", signal: -75, spread: 3, age: 5.4, at: now)
        now += 2_000_000_000
        rooms.heard(by: "attic", in: "attic", signal: nil, spread: nil, age: 7.4, at: now)
        if isGone { rooms.forgot("hall", at: now) }
        now += 10_000_000_000
        rooms.advance(to: now)
        #expect(rooms.room == "hall")
        #expect(rooms.strongest == (isGone ? "attic" : "hall"))
    }

    @Test mutating func `a room that no longer receives the beacon gives way to one that does`() {
        hear([("hall", -55), ("attic", -75)], for: 10)
        rooms.heard(by: "hall", in: "hall", signal: nil, spread: nil, age: 2.5, at: now)
        hear([("attic", -75)], for: 10)
        #expect(reported.map(\.room) == ["hall", "attic"])
        #expect((reported.last?.at ?? 99) < 18, "\(reported)")
    }
}
