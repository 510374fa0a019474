import BlueZ
import Testing

@testable import OkaeriAgent

@Suite struct PendingUpdatesTests {
    private func updates(_ numbers: Range<Int>) -> [StatusBoard.Update] {
        numbers.map { .region([UInt8($0 >> 8), UInt8($0 & 0xFF)]) }
    }

    /// Sends to a manager with room for a number of updates. Returns what it took.
    private func send(_ pending: inout PendingUpdates, room: Int) -> [StatusBoard.Update] {
        var taken: [StatusBoard.Update] = []
        pending.send { update in
            guard taken.count < room else { return .queueFull }
            taken.append(update)
            return .queued
        }
        return taken
    }

    @Test func `what finds no room is sent later, in its order`() {
        var pending = PendingUpdates()
        pending.append(updates(0..<5))
        let first = send(&pending, room: 2)
        #expect(first == updates(0..<2))
        pending.append(updates(5..<6))
        let second = send(&pending, room: 9)
        #expect(second == updates(2..<6))
        let third = send(&pending, room: 9)
        #expect(third.isEmpty)
    }

    @Test func `a value without a subscriber does not wait`() {
        var pending = PendingUpdates()
        pending.append(updates(0..<2))
        var count = 0
        pending.send { _ in
            count += 1
            return count == 1 ? .noSubscriber : .notServed
        }
        let rest = send(&pending, room: 9)
        #expect(count == 2 && rest.isEmpty)
    }

    @Test func `the number of updates is bounded, and the latest stay`() {
        var pending = PendingUpdates()
        pending.append(updates(0..<10))
        pending.append(updates(10..<PendingUpdates.limit + 5))
        let sent = send(&pending, room: 1000)
        #expect(sent == updates(5..<PendingUpdates.limit + 5))
    }
}
