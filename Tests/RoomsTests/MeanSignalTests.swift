import OkaeriPlumbing
import Testing

@testable import OkaeriRooms

/// The rooms by receivers that report the mean of some seconds, now and then.
struct MeanSignalTests {
    /// The seconds until the room follows a beacon that was carried from the hall to the kitchen, and the number of changes.
    private func walk(isSmoothed: Bool) -> (delay: Double?, changes: Int) {
        var tracker = RoomTracker()
        var (now, delay, changes, last) = (Int64(0), Double?.none, 0, String?.none)
        for step in 0..<60 {
            // The mean follows within fifteen seconds.
            let moved = min(max(Double(step - 30) / 3, 0), 1)
            for (radio, there, gone) in [("hall", -56.0, -70.0), ("kitchen", -70.0, -57.0)] {
                tracker.heard(
                    radio, in: radio, from: 1, rssi: there + (gone - there) * moved, isSmoothed: isSmoothed, at: now)
            }
            for half in 1...10 {
                tracker.advanced(to: now + Int64(half) * Nanoseconds.second / 2)
                if tracker.room != last { (last, changes) = (tracker.room, changes + 1) }
                if tracker.room == "kitchen", delay == nil { delay = Double(step - 30) * 5 + Double(half) / 2 }
            }
            now += 5 * Nanoseconds.second
        }
        return (delay, changes)
    }

    @Test func `A room follows means sooner than with the evidence that noisy signals need`() throws {
        let (smoothed, raw) = (walk(isSmoothed: true), walk(isSmoothed: false))
        #expect(try #require(smoothed.delay) <= 20 && smoothed.changes == 2, "\(smoothed)")
        #expect(raw.delay.map { $0 > smoothed.delay ?? 0 } ?? true, "\(raw)")
    }

    @Test func `Means at rest that differ by a decibel do not change the room`() {
        var tracker = RoomTracker()
        var (now, changes, last) = (Int64(0), 0, String?.none)
        for step in 0..<200 {
            tracker.heard(
                "hall", in: "hall", from: 1, rssi: step.isMultiple(of: 3) ? -61 : -60, isSmoothed: true, at: now)
            tracker.heard(
                "kitchen", in: "kitchen", from: 1, rssi: step.isMultiple(of: 2) ? -61 : -60, isSmoothed: true, at: now)
            now += 5 * Nanoseconds.second
            tracker.advanced(to: now)
            if tracker.room != last { (last, changes) = (tracker.room, changes + 1) }
        }
        #expect(changes == 1)
    }
}
