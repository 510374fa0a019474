import TestSupport
import Testing

@testable import Agreement

/// In which room a beacon is told to be.
@Suite struct RoomEstimatorTests {
    private var rooms = RoomEstimator()
    private var generator = SeededGenerator(seed: 7)
    private var now: Int64 = 0
    private var told: [(at: Double, room: String)] = []

    /// Receivers hear the beacon so strongly for so many seconds, twice a second, with a noise of 3 dB.
    private mutating func hear(_ signals: [(node: String, signal: Double)], for seconds: Double) {
        for _ in 0..<Int(seconds * 2) {
            now += 500_000_000
            for (node, signal) in signals {
                // Uniform: of 3 dB where it is 5.2 wide on each side.
                let noise = Double.random(in: -5.2...5.2, using: &generator)
                rooms.heard(by: node, in: node, signal: signal + noise, spread: 3, at: now)
            }
            rooms.advanced(to: now)
            if let room = rooms.room, room != told.last?.room { told.append((Double(now) / 1e9, room)) }
        }
    }

    @Test mutating func `somebody who walks is followed`() {
        hear([("hall", -55), ("attic", -80)], for: 30)
        hear([("hall", -68), ("attic", -68)], for: 3)
        hear([("hall", -80), ("attic", -55)], for: 20)
        #expect(told.map(\.room) == ["hall", "attic"])
        #expect((told.last?.at ?? 99) < 40)
    }

    @Test mutating func `a first room that is wrong is put right, though the beacon lies still`() {
        rooms.heard(by: "attic", in: "attic", signal: -70, spread: 3, at: now)
        now += 2_000_000_000
        rooms.advanced(to: now)
        #expect(rooms.room == "attic")
        hear([("hall", -54), ("attic", -70)], for: 90)
        #expect(told.map(\.room).suffix(1) == ["hall"])
        #expect((told.last?.at ?? 99) < 60, "told at \(told)")
    }

    @Test mutating func `between two receivers it is still`() {
        hear([("hall", -66), ("attic", -68)], for: 7200)
        #expect(told.count <= 2, "\(told)")
    }
}
