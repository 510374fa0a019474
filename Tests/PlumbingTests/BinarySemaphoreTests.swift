import Synchronization
import Testing

@testable import OkaeriPlumbing

@Suite struct BinarySemaphoreTests {
    @Test func `signals without a waiting thread count once`() {
        let semaphore = BinarySemaphore()
        #expect(!semaphore.wait(until: .now))
        semaphore.signal()
        semaphore.signal()
        #expect(semaphore.wait(until: .now))
        #expect(!semaphore.wait(until: .now), "the first wait has taken both")
    }

    @Test func `a wait ends at its time, and any time will do`() {
        let semaphore = BinarySemaphore()
        let start = ContinuousClock.now
        #expect(!semaphore.wait(until: start + .milliseconds(20)))
        #expect(ContinuousClock.now >= start + .milliseconds(20))
        #expect(!semaphore.wait(until: start - .seconds(1_000_000_000_000)))
        semaphore.signal()
        #expect(semaphore.wait(until: start + .seconds(1_000_000_000_000)))
    }

    @Test(.timeLimit(.minutes(5))) func `a thread that waits is woken each time there is something for it`() throws {
        let (asked, answered) = (BinarySemaphore(), BinarySemaphore())
        let count = Mutex(0)
        try BlockingThread.start {
            for _ in 0..<1000 {
                asked.wait()
                count.withLock { $0 += 1 }
                answered.signal()
            }
        }
        for round in 1...1000 {
            asked.signal()
            #expect(answered.wait(until: .now + .seconds(30)))
            #expect(count.withLock(\.self) == round)
        }
    }
}
