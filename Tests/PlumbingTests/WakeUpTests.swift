import Glibc
import OkaeriPlumbing
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(2))) struct WakeUpTests {
    private struct Failure: Error {
        var code: Int32
    }

    /// A wake-up, the number of signals that were sent, and a semaphore for those that were taken.
    private final class Signals: Sendable {
        let wakeUp: WakeUp
        let sent = Atomic(0)
        let taken = BinarySemaphore()

        init() throws(Failure) { wakeUp = try WakeUp { Failure(code: $0) } }
    }

    /// A capture that was behind its time looked at its wake-up before each packet, without waiting. In a third of that time
    /// a signal was taken and not reported, and SIGTERM had no effect.
    @Test func `a signal is reported that arrives when the time of a wait is up`() throws {
        let (signals, rounds) = (try Signals(), 5_000)
        try BlockingThread.start {
            for round in 1...rounds {
                signals.wakeUp.signal()
                signals.sent.store(round, ordering: .releasing)
                signals.taken.wait()
            }
        }
        var lost = 0
        for round in 1...rounds {
            while true {
                let wasSent = signals.sent.load(ordering: .acquiring) == round
                if signals.wakeUp.wait(for: .zero) { break }
                // Nothing is left of a signal that was sent before this wait.
                if wasSent {
                    lost += 1
                    break
                }
            }
            signals.taken.signal()
        }
        #expect(lost == 0)
    }

    @Test func `signals before a wait are one`() throws {
        let signals = try Signals()
        for _ in 0..<100 { signals.wakeUp.signal() }
        var waiting: Int32 = 0
        #expect(ioctl(signals.wakeUp.number, UInt(FIONREAD), &waiting) == 0)
        // Each byte is a call to the kernel.
        #expect(waiting == 1)
        let (first, second) = (signals.wakeUp.wait(for: .seconds(60)), signals.wakeUp.wait(for: .zero))
        #expect(first)
        #expect(!second)
    }
}
