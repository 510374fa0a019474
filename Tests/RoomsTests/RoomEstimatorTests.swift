import OkaeriTestSupport
import RegionMonitoring
import Testing

@testable import OkaeriRooms

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

    /// Together they have less noise.
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
        #expect(reported(by: ["one", "two", "three"]) < reported(by: ["one"]))
    }

    /// A second receiver behind the wardrobe takes nothing from what the first one hears.
    @Test mutating func `a receiver that hears it badly does not speak against its room`() {
        hear([("hall", -55), ("attic1", -75), ("attic2", -90)], for: 30)
        hear([("hall", -75), ("attic1", -60), ("attic2", -90)], for: 30)
        #expect(reported.map(\.room) == ["hall", "attic"])
        #expect((reported.last?.at ?? 99) < 35, "\(reported)")
    }

    @Test mutating func `a beacon that stops keeps its room while the receivers detect it one after the other`() {
        hear([("hall", -55), ("attic", -75)], for: 10)
        rooms.heard(by: "hall", in: "hall", signal: nil, spread: nil, age: 2.5, at: now)
        // A refresh without an advertisement since then.
        now += 3_000_000_000
        rooms.heard(by: "attic", in: "attic", signal: -75, spread: 3, age: 5.4, at: now)
        now += 2_000_000_000
        rooms.heard(by: "attic", in: "attic", signal: nil, spread: nil, age: 7.4, at: now)
        now += 10_000_000_000
        rooms.advance(to: now)
        #expect(rooms.room == "hall")
        #expect(rooms.strongest == "hall")
    }

    @Test mutating func `a room that no longer receives the beacon gives way to one that does`() {
        hear([("hall", -55), ("attic", -75)], for: 10)
        rooms.heard(by: "hall", in: "hall", signal: nil, spread: nil, age: 2.5, at: now)
        // The hall led by 20 dB and the beacon was at rest: the most evidence is required.
        hear([("attic", -75)], for: 30)
        #expect(reported.map(\.room) == ["hall", "attic"])
        #expect((reported.last?.at ?? 99) < 30, "\(reported)")
    }

    /// The seconds until the attic leads for long enough, by 7 dB, after signals that rise and fall by so many dB in
    /// eight seconds, each receiver at another time.
    private func delay(afterMotionOf swing: Double) -> Double {
        var rooms = RoomEstimator()
        func hear(_ half: Int, hall: Double, attic: Double, swing: Double) {
            let now = Int64(half) * 500_000_000
            for (index, (room, signal)) in [("hall", hall), ("attic", attic), ("cellar", -85.0)].enumerated() {
                let phase = (half + 5 * index) % 16
                let wave = swing * (Double(abs(phase - 8)) / 4 - 1)
                rooms.heard(by: room, in: room, signal: signal + wave, spread: 2, at: now)
            }
            rooms.advance(to: now)
        }
        for half in 0..<120 { hear(half, hall: -50, attic: -70, swing: swing) }
        for half in 120..<600 {
            hear(half, hall: -67, attic: -60, swing: 0)
            if rooms.room == "attic" { return Double(half - 120) / 2 }
        }
        return .infinity
    }

    @Test func `a beacon in motion changes its room sooner than one that was at rest`() {
        #expect(delay(afterMotionOf: 10) < 4)
        #expect(delay(afterMotionOf: 0) > delay(afterMotionOf: 10) + 0.5)
    }

    /// A person beside one receiver, a beacon at rest, and receivers in six rooms.
    @Test mutating func `a shadow of half a minute on one receiver does not change the room of a beacon at rest`() {
        let others = ["attic", "cellar", "kitchen", "bath", "study"].enumerated().map {
            (node: $1, signal: -62 - 4 * Double($0))
        }
        for _ in 0..<20 {
            hear([("hall", -58)] + others, for: 120)
            hear([("hall", -66)] + others, for: 30)
        }
        #expect(reported.map(\.room) == ["hall"])
    }

    /// Plays the advertisements of a beacon to radios, each in a room.
    ///
    /// - Parameters:
    ///   - rate: The advertisements a second that each receiver receives, at random times.
    ///   - signals: The mean signals at a time in seconds; the noise is 5 dB.
    private mutating func play(
        rate: Double, seconds: Int, _ signals: (Double) -> KeyValuePairs<String, Double>
    ) {
        var tracker = RoomTracker()
        for step in 0..<(seconds * 10) {
            now = Int64(step) * 100_000_000
            for (node, signal) in signals(Double(step) / 10)
            where Double.random(in: 0..<1, using: &generator) < rate / 10 {
                let sum = (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &generator) }
                tracker.heard(node, in: node, from: 1, rssi: (signal + 5 * sum).rounded(), at: now)
            }
            tracker.advanced(to: now)
            if let room = tracker.room, room != reported.last?.room { reported.append((Double(now) / 1e9, room)) }
        }
    }

    @Test(arguments: [(rate: 1.0, changes: 3), (rate: 2.0, changes: 0)])
    mutating func `a beacon at rest hardly changes its room in half an hour`(rate: Double, changes: Int) {
        play(rate: rate, seconds: 1800) { _ in ["hall": -60, "attic": -64, "cellar": -68, "study": -72] }
        #expect(reported.count { $0.at > 60 } <= changes, "\(reported)")
    }

    /// Twenty seconds in each of two rooms, and ten for each way between them.
    @Test(arguments: [(rate: 0.5, share: 0.68), (rate: 1.0, share: 0.8), (rate: 2.0, share: 0.81)])
    mutating func `a person who walks is followed at any rate of advertisements`(rate: Double, share: Double) {
        play(rate: rate, seconds: 1200) { time in
            let phase = time.truncatingRemainder(dividingBy: 60)
            let way = phase < 20 ? 0 : phase < 30 ? (phase - 20) / 10 : phase < 50 ? 1 : (60 - phase) / 10
            return ["hall": -60 - 14 * way, "attic": -74 + 14 * way, "cellar": -70 - 8 * way, "study": -84 + 10 * way]
        }
        let right = (10..<1200).count { second in
            // The middle of the way is the door.
            let isInHall = (second + 35) % 60 >= 30
            return reported.last { $0.at <= Double(second) }?.room == (isInHall ? "hall" : "attic")
        }
        #expect(Double(right) / 1190 > share)
    }

    /// In a fade a receiver misses every advertisement of some seconds, while a farther one receives them.
    @Test mutating func `a receiver that misses advertisements for two seconds keeps its room`() {
        for _ in 0..<30 {
            hear([("hall", -60), ("attic", -76)], for: 20)
            rooms.heard(by: "hall", in: "hall", signal: nil, spread: nil, age: 2.5, at: now)
            hear([("attic", -76)], for: 2)
        }
        #expect(reported.map(\.room) == ["hall"])
    }

    @Test mutating func `a receiver that stays silent is removed`() {
        hear([("hall", -60), ("attic", -76)], for: 20)
        rooms.heard(by: "attic", in: "attic", signal: nil, spread: nil, age: 2.5, at: now)
        hear([("hall", -60)], for: 15)
        #expect(rooms.nextDeadline == nil)
    }

    @Test(arguments: [false, true])
    mutating func `a room is decided at the same time without the steps before its deadlines`(isSmoothed: Bool) {
        var patient = rooms
        var (turns, steps) = (0, 0)
        for _ in 0..<600 {
            for node in ["hall", "hall2", "attic", "bath"]
            where node == "hall" || Int.random(in: 0..<4, using: &generator) > 0 {
                let signal = Double.random(in: -72 ... -58, using: &generator)
                let isHeard = Int.random(in: 0..<9, using: &generator) > 0
                func hear(_ rooms: inout RoomEstimator) {
                    rooms.heard(
                        by: node, in: node.filter { !$0.isNumber }, signal: isHeard ? signal : nil, spread: 1.5,
                        age: 0.1, isSmoothed: isSmoothed, at: now)
                }
                hear(&rooms)
                hear(&patient)
            }
            for _ in 0..<Int.random(in: 1..<30, using: &generator) {
                now += 500_000_000
                rooms.advance(to: now)
                steps += 1
                if let due = patient.nextDeadline, due <= now {
                    patient.advance(to: now)
                    turns += 1
                }
                #expect(patient.room == rooms.room)
            }
        }
        #expect(rooms.room != nil && turns > 100 && turns < steps / 2, "\(turns) of \(steps)")
    }
}
