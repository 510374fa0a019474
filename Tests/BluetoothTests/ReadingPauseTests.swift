import Foundation
import HCI
import OkaeriPlumbing
import OkaeriTestSupport
import Synchronization
import Testing

@testable import OkaeriBluetooth

/// Reports collect in the kernel before they are read, and keep the times of their reception.
@Suite(.timeLimit(.minutes(5))) struct ReadingPauseTests {
    private let pause: Int64 = 30_000_000

    private func report(_ rssi: Int8) throws -> AdvertisingReport {
        AdvertisingReport(
            address: try #require(BluetoothAddress("C0:FF:EE:12:34:56")), rssi: rssi, data: [0x02, 0x01, 0x06])
    }

    @Test func `reports are read together at intervals, each with the time of its reception`() throws {
        let (kernel, delegate) = (FakeKernel(), ReadingDelegate())
        let scanner = try OkaeriBluetooth.Scanner(parameters: .unhurried, kernel: kernel)
        try BlockingThread.start { try? scanner.run(delegate) }
        let controller = try kernel.scanSockets.next()
        try controller.start()
        let (count, distance) = (100, Int64(2_000_000))
        var (sent, done): ([Int64], [Int64]) = ([], [])
        for number in 0..<count {
            sent.append(kernel.now())
            try controller.send(.advertisingReports([report(Int8(-1 - number))]))
            done.append(kernel.now())
            while kernel.now() < sent[number] + distance { sched_yield() }
        }
        for _ in 0..<count { _ = try delegate.received.next() }
        scanner.stop()
        try controller.expect(.disable, answer: .success)
        let readings = delegate.readings
        #expect(readings.flatMap(\.times).count == count)
        for (earlier, later) in zip(readings, readings.dropFirst()) {
            // A reading of a whole batch is a flood, which does not wait.
            if earlier.times.count < PacketBatch.capacity { #expect(later.turn - earlier.turn >= pause) }
            #expect(later.times[0] >= earlier.turn)
        }
        for (time, before) in zip(readings.flatMap(\.times), sent) { #expect(time >= before) }
        // The distances of one reading do not depend on its own time. This thread may wait before or behind a report.
        var number = 0
        for reading in readings {
            #expect(reading.times.allSatisfy { $0 <= reading.turn })
            for (index, (first, second)) in zip(reading.times, reading.times.dropFirst()).enumerated() where index > 0 {
                #expect(second - first >= sent[number + index + 1] - done[number + index] - 1000)
            }
            number += reading.times.count
        }
    }

    @Test func `a deadline does not wait for the end of a pause`() throws {
        let (kernel, delegate) = (FakeKernel(), ReadingDelegate(deadlineAfterReading: 2_000_000))
        let scanner = try OkaeriBluetooth.Scanner(parameters: .unhurried, kernel: kernel)
        try BlockingThread.start { try? scanner.run(delegate) }
        let controller = try kernel.scanSockets.next()
        try controller.start()
        // A busy machine may be late, but the end of the pause is always later.
        var delay = Int64.max
        for _ in 0..<1000 where delay >= 20_000_000 {
            try controller.send(.advertisingReports([report(-50)]))
            let (deadline, turn) = try delegate.deadlines.next()
            #expect(turn >= deadline)
            delay = turn - deadline
        }
        #expect(delay < 20_000_000)
        scanner.stop()
        try controller.expect(.disable, answer: .success)
    }

    @Test func `a packet is placed between the latest time and the present`() {
        var clock = ReceptionClock(latest: 1000)
        let now = Moment(instant: 5000, wall: 90_000)
        #expect(clock.next(stamp: 88_000, readAt: now) == 3000)
        // Earlier than the packet before it, and than any time: the wall clock was set forward.
        #expect(clock.next(stamp: 87_000, readAt: now) == 3000)
        #expect(clock.next(stamp: .min, readAt: now) == 3000)
        #expect(clock.next(stamp: 89_500, readAt: now) == 4500)
        // The wall clock was set back.
        #expect(clock.next(stamp: .max, readAt: now) == 5000)
        #expect(clock.next(stamp: nil, readAt: Moment(instant: 6000, wall: 0)) == 6000)
    }
}

/// Records the turns with reports, and the first turn at a deadline behind them.
private final class ReadingDelegate: ScannerDelegate {
    struct Reading: Sendable {
        var turn: Int64
        var times: [Int64]
    }

    private struct State: Sendable {
        var times: [Int64] = []
        var readings: [Reading] = []
        var deadline: Int64?
    }

    let received = Mailbox<Int64>()
    let deadlines = Mailbox<(deadline: Int64, turn: Int64)>()
    private let deadlineAfterReading: Int64?
    private let state = Mutex(State())

    init(deadlineAfterReading: Int64? = nil) { self.deadlineAfterReading = deadlineAfterReading }

    var readings: [Reading] { state.withLock(\.readings) }

    func scannerDidReceive(_ event: RawSpan, at time: Int64) -> Bool {
        state.withLock { $0.times.append(time) }
        received.post(time)
        return true
    }

    func scannerDidUpdate(_ update: AdapterUpdate, at time: Int64) {}
    func scannerDidChangeListening(_ timing: ScanTiming?, at time: Int64) {}
    var nextDeadline: Int64? { nil }

    func scannerDidFinishTurn(at time: Int64) -> Int64? {
        state.withLock { state in
            if let deadline = state.deadline, deadline <= time {
                deadlines.post((deadline, time))
                state.deadline = nil
            }
            guard !state.times.isEmpty else { return state.deadline }
            state.readings.append(Reading(turn: time, times: state.times))
            state.times = []
            state.deadline = deadlineAfterReading.map { time + $0 }
            return state.deadline
        }
    }
}
