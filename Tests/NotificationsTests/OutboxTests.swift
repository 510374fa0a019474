import OkaeriPlumbing
import Testing

@testable import OkaeriAutomation

/// The order, the bounds and the delays of the notifications to one server.
@Suite struct OutboxTests {
    private let start = ContinuousClock.now
    private var outbox = Outbox(delay: BackOff(.seconds(5), limit: .seconds(300)))

    private func delivery(_ number: Int, bytes: Int = 10, prompt: String? = nil) -> Outbox.Delivery {
        Outbox.Delivery(
            body: Array("\(number)".utf8) + [UInt8](repeating: 32, count: bytes),
            subject: prompt.map(Outbox.Subject.prompt), added: start)
    }

    private func time(_ seconds: Double) -> ContinuousClock.Instant { start.advanced(by: .seconds(seconds)) }

    @Test mutating func `notifications are sent in order, one at a time`() {
        #expect(outbox.state == .idle && outbox.due == nil)
        _ = outbox.add(delivery(1))
        _ = outbox.add(delivery(2))
        let first = outbox.begin(at: start)
        #expect(first == delivery(1) && outbox.state == .sending)
        let none = outbox.begin(at: start)
        #expect(none == nil)
        let outcome = outbox.ended(with: nil, at: time(1))
        #expect(outcome == .sent && outbox.state == .waiting(until: time(1)))
        let second = outbox.begin(at: time(1))
        #expect(second == delivery(2))
        let last = outbox.ended(with: nil, at: time(1))
        #expect(last == .sent && outbox.state == .idle && outbox.waiting.isEmpty)
    }

    @Test mutating func `a failure that may pass is repeated after a growing delay, for an hour`() {
        _ = outbox.add(delivery(1))
        var now = start
        var delays: [Duration] = []
        while true {
            let begun = outbox.begin(at: now)
            #expect(begun == delivery(1))
            guard outbox.ended(with: .status(503), at: now) == .again, let due = outbox.due else { break }
            delays.append(now.duration(to: due))
            now = due
        }
        let first: [Duration] = [5, 10, 20, 40, 80, 160, 300].map { .seconds($0) }
        #expect(Array(delays.prefix(7)) == first)
        #expect(delays.last == .seconds(300) && start.duration(to: now) < Outbox.lifetime)
        #expect(outbox.state == .idle)
    }

    @Test mutating func `the failure of the last attempt ends all notifications that are too old`() {
        _ = outbox.add(delivery(1))
        _ = outbox.add(delivery(2))
        let begun = outbox.begin(at: time(3595))
        #expect(begun == delivery(1))
        let outcome = outbox.ended(with: .timedOut, at: time(3599))
        #expect(outcome == .givenUp && outbox.state == .idle && outbox.waiting.isEmpty)
        let counts = [outbox.takeExpired(), outbox.takeExpired()]
        #expect(counts == [1, 0])
    }

    @Test mutating func `what is too old when an attempt is due is not sent`() {
        var later = delivery(3)
        later.added = time(100)
        for delivery in [delivery(1), delivery(2), later] { _ = outbox.add(delivery) }
        let next = outbox.begin(at: time(3600))
        #expect(next == later && outbox.waiting == [later])
        _ = outbox.ended(with: nil, at: time(3601))
        let count = outbox.takeExpired()
        #expect(count == 2 && outbox.state == .idle)
        _ = outbox.add(delivery(4))
        let none = outbox.begin(at: time(7200))
        #expect(none == nil && outbox.state == .idle && outbox.due == nil)
    }

    @Test mutating func `a prompt that ends while its notification is being sent is not repeated`() {
        _ = outbox.add(delivery(1, prompt: "7"))
        _ = outbox.begin(at: start)
        outbox.remove(.prompt("7"))
        let outcome = outbox.ended(with: .timedOut, at: start)
        #expect(outcome == .obsolete && outbox.state == .idle)
    }

    @Test mutating func `a failure that does not pass is given up at once, and the next one is sent`() {
        _ = outbox.add(delivery(1))
        _ = outbox.add(delivery(2))
        _ = outbox.begin(at: start)
        let outcome = outbox.ended(with: .status(401), at: start)
        #expect(outcome == .givenUp)
        let next = outbox.begin(at: start)
        #expect(next == delivery(2))
    }

    @Test mutating func `an attempt before its time is not one`() {
        _ = outbox.add(delivery(1))
        _ = outbox.begin(at: start)
        _ = outbox.ended(with: .timedOut, at: start)
        let early = outbox.begin(at: time(4.9))
        #expect(early == nil)
        let due = outbox.begin(at: time(5))
        #expect(due == delivery(1))
    }

    @Test mutating func `the number of waiting notifications is bounded, and the oldest is dropped`() {
        for number in 0..<Outbox.bound {
            let dropped = outbox.add(delivery(number))
            #expect(dropped == 0)
        }
        _ = outbox.begin(at: start)
        let dropped = outbox.add(delivery(99))
        #expect(dropped == 1 && outbox.waiting.count == Outbox.bound)
        // The one that is being sent stays.
        #expect(outbox.waiting.prefix(2) == [delivery(0), delivery(2)] && outbox.waiting.last == delivery(99))
    }

    @Test mutating func `the bytes of waiting notifications are bounded`() {
        for number in 0..<3 { _ = outbox.add(delivery(number, bytes: 20_000)) }
        let dropped = outbox.add(delivery(3, bytes: 40_000))
        #expect(dropped == 2)
        #expect(outbox.waiting.reduce(0) { $0 + $1.body.count } <= Outbox.byteBound)
    }

    @Test mutating func `a prompt that was answered needs no notification`() {
        _ = outbox.add(delivery(1))
        _ = outbox.add(delivery(2, prompt: "7"))
        outbox.remove(.prompt("7"))
        #expect(outbox.waiting == [delivery(1)])
        _ = outbox.begin(at: start)
        _ = outbox.ended(with: nil, at: start)
        _ = outbox.add(delivery(3, prompt: "8"))
        outbox.remove(.prompt("8"))
        #expect(outbox.state == .idle && outbox.due == nil)
    }
}
