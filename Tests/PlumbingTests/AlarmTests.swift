import OkaeriPlumbing
import OkaeriTestSupport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct AlarmTests {
    /// Sleeps that end when the test ends them.
    private final class Sleeper: Sendable {
        typealias Instant = ContinuousClock.Instant

        private let waiting = Mutex<[(end: Instant, done: CheckedContinuation<Void, Never>)]>([])
        private let news = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

        var ends: [Instant] { waiting.withLock { $0.map(\.end) } }

        func sleep(_ end: Instant) async {
            await withCheckedContinuation { done in
                waiting.withLock { $0.append((end, done)) }
                news.continuation.yield()
            }
        }

        /// Waits until so many sleep.
        func sleeping(_ count: Int) async {
            if ends.count == count { return }
            for await _ in news.stream where ends.count == count { return }
        }

        /// Ends the sleep that ends first.
        func endFirst() {
            let done = waiting.withLock { waiting in
                waiting.indices.min { waiting[$0].end < waiting[$1].end }.map { waiting.remove(at: $0).done }
            }
            done?.resume()
        }
    }

    private let sleeper = Sleeper()
    private let alarm: Alarm
    private let start = ContinuousClock.now + .seconds(3600)
    private let rung = AsyncStream.makeStream(of: Int.self)

    init() {
        alarm = Alarm { [sleeper] in await sleeper.sleep($0) }
    }

    private func set(_ seconds: Int) {
        alarm.set(start + .seconds(seconds)) { [rung] in rung.continuation.yield(seconds) }
    }

    private func nextRing() async -> Int? { await rung.stream.first { _ in true } }

    @Test func `a deadline that moves later a thousand times keeps one sleep`() async {
        for seconds in 0..<1000 { set(seconds) }
        await sleeper.sleeping(1)
        #expect(sleeper.ends == [start])
        sleeper.endFirst()
        await sleeper.sleeping(1)
        #expect(sleeper.ends == [start + .seconds(999)], "the action waits for the latest deadline")
        sleeper.endFirst()
        #expect(await nextRing() == 999)
    }

    @Test func `a deadline that alternates between soon and late keeps two sleeps`() async {
        set(600)
        await sleeper.sleeping(1)
        for round in 1...100 {
            set(round)
            await sleeper.sleeping(2)
            sleeper.endFirst()
            #expect(await nextRing() == round)
            set(600 + round)
            await sleeper.sleeping(1)
        }
        #expect(sleeper.ends == [start + .seconds(600)])
    }

    @Test func `an alarm that is cleared does nothing, and can be set again`() async {
        set(1)
        await sleeper.sleeping(1)
        alarm.clear()
        sleeper.endFirst()
        set(2)
        await sleeper.sleeping(1)
        sleeper.endFirst()
        #expect(await nextRing() == 2)
    }

    @Test func `without a stand-in the action runs at its time`() async {
        let alarm = Alarm()
        let due = ContinuousClock.now + .milliseconds(20)
        alarm.set(.now + .seconds(3600)) { Issue.record("the deadline was moved") }
        alarm.set(due) { [rung] in rung.continuation.yield(1) }
        #expect(await nextRing() == 1)
        #expect(ContinuousClock.now >= due)
    }
}
