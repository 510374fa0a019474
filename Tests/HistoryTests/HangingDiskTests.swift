import Dispatch
import OkaeriDaemonTestSupport
import OkaeriPlumbing
import OkaeriTestSupport
import Synchronization
import Testing

@testable import OkaeriConfiguration
@testable import OkaeriEvents
@testable import OkaeriHistory
@testable import OkaeriListening

/// A disk that neither writes nor fails.
@Suite struct HangingDiskTests {
    private let start = ContinuousClock.now

    private func event(_ number: UInt64) -> Event {
        Event(time: evening, sequence: number, kind: .didExitRegion(region: "home"))
    }

    @Test func `an event waits for the disk, and no longer than five seconds`() {
        var queue = RecordingQueue(limit: .seconds(5))
        _ = queue.arrived(event(1), at: start)
        let batch = queue.takeBatch()
        #expect(queue.take(at: start + .seconds(4.9)).events.isEmpty)
        #expect(queue.due == start + .seconds(5))
        #expect(queue.take(at: start + .seconds(5)).events == [event(1)])
        #expect(queue.stall?.contains("5 s") == true)
        #expect(queue.takeStallNews() == .began && queue.takeStallNews() == nil)
        _ = queue.arrived(event(2), at: start + .seconds(6))
        #expect(queue.take(at: start + .seconds(6)).events == [event(2)], "the next does not wait at all")
        queue.wrote(batch, problem: nil)
        #expect(queue.stall == nil && queue.takeStallNews() == .ended(lost: 0))
        _ = queue.arrived(event(3), at: start + .seconds(7))
        #expect(queue.take(at: start + .seconds(7)).events.isEmpty, "it is waited for again")
        queue.wrote(queue.takeBatch(), problem: nil)
        #expect(queue.take(at: start + .seconds(7)).events == [event(3)], "once, and in order")
    }

    @Test func `what waits for such a disk is bounded, and what is given up is counted`() {
        var queue = RecordingQueue(limit: .seconds(5))
        _ = queue.arrived(event(0), at: start)
        let batch = queue.takeBatch()
        _ = queue.take(at: start + .seconds(5))
        for number in 1...UInt64(RecordingQueue.backlog + 7) {
            _ = queue.arrived(event(number), at: start + .seconds(6))
        }
        #expect(queue.take(at: start + .seconds(6)).events.count == RecordingQueue.backlog + 7, "all are published")
        queue.wrote(batch, problem: nil)
        _ = queue.takeStallNews()
        let rest = queue.takeBatch()
        #expect(rest.events.count == RecordingQueue.backlog && rest.events.first == event(8))
    }

    /// Writes nothing until it is let.
    private struct Writer: EventWriter {
        let gate: Gate
        var nextAttempt: ContinuousClock.Instant? { nil }
        var problem: String? { nil }

        mutating func record(_ happened: [Event], _ heard: [SignalMinute], _ ended: [SilenceRecord]) { gate.wait() }

        mutating func finish(at time: Int64) {}
    }

    private final class Gate: Sendable {
        private let opened = DispatchSemaphore(value: 0)

        func open() { opened.signal() }

        /// Leaves the gate open for the next one.
        func wait() {
            opened.wait()
            opened.signal()
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `events are published, the status says why they are not kept, and the end is not held up`() async throws {
        let gate = Gate()
        defer { gate.open() }
        let recorder = HistoryRecorder(
            directory: "/nowhere", limits: .init(answer: .milliseconds(50), end: .milliseconds(50)),
            now: { Moment(recorded: 0) },
            logger: quiet
        ) { Writer(gate: gate) }
        let published = Mutex<[Event]>([])
        let service = ThreadService(
            loop: { recorder.run { event in published.withLock { $0.append(event) } } }, stop: {}, endsWithLoop: true)
        async let end: Void = service.run()
        for number in 1...UInt64(3) { _ = recorder.record(event(number)) }
        await recorder.caughtUp()
        #expect(published.withLock { $0 } == (1...3).map(event))
        #expect(recorder.problem?.contains("has not answered") == true)
        #expect(recorder.isAlive)
        recorder.stop()
        try await end
    }
}
