import Testing

@testable import OkaeriRooms

/// The room of a region by the receptions themselves.
@Suite struct RoomTrackerTests {
    private static let second: Int64 = 1_000_000_000
    private var tracker = RoomTracker()

    /// The hall and the attic receive the beacon once a second with these signals. Returns the rooms, each with its first second.
    private mutating func receive(_ seconds: Range<Int64>, hall: Double?, attic: Double?) -> [(Int64, String?)] {
        var rooms: [(Int64, String?)] = []
        for second in seconds {
            let now = second * Self.second
            for (name, rssi) in [("hall", hall), ("attic", attic)] {
                if let rssi {
                    tracker.heard(name, in: name, from: 1, rssi: rssi, at: now)
                } else {
                    tracker.advanced(to: now)
                }
            }
            if tracker.room != rooms.last?.1 { rooms.append((second, tracker.room)) }
        }
        return rooms
    }

    @Test mutating func `the room is that of the strongest radio, after a moment in which the others are heard`() {
        let rooms = receive(0..<30, hall: -60, attic: -80)
        #expect(rooms.map(\.1) == ["hall"])
        #expect(rooms.first?.0 == 2)
        #expect(tracker.strongest == "hall")
    }

    @Test mutating func `a beacon that moves changes its room`() {
        _ = receive(0..<60, hall: -60, attic: -80)
        let rooms = receive(60..<90, hall: -80, attic: -60)
        #expect(rooms.map(\.1) == ["hall", "attic"])
        #expect(rooms.last.map { $0.0 < 70 } == true)
    }

    @Test mutating func `a room that is decided at a reception has a deadline at once`() {
        var changes = 0
        for second in 0..<90 {
            for (name, rssi) in [("hall", second < 45 ? -60.0 : -80), ("attic", second < 45 ? -80.0 : -60)] {
                let (before, now) = (tracker.room, Int64(second) * Self.second)
                tracker.heard(name, in: name, from: 1, rssi: rssi, at: now)
                guard tracker.room != before else { continue }
                changes += 1
                #expect(tracker.nextDeadline == now)
            }
        }
        #expect(changes == 2)
    }

    @Test mutating func `after an exit the search begins anew`() {
        _ = receive(0..<60, hall: -60, attic: -80)
        tracker.left()
        #expect(tracker.room == nil)
        #expect(tracker.nextDeadline == nil)
        #expect(receive(100..<110, hall: -80, attic: -60).map(\.1) == ["attic"])
    }

    @Test mutating func `invented radios have a limit`() {
        for number in 0..<5000 {
            tracker.heard("radio \(number)", in: "hall", from: 1, rssi: -60, at: Int64(number) * 1000)
        }
        #expect(tracker.radioCount == 1024)
    }
}
