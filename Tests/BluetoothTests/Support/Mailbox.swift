import Foundation

/// Values from one thread to another, in order.
final class Mailbox<Value: Sendable>: Sendable {
    /// Nothing came for so long that something is broken.
    struct Silence: Error {}

    /// Safe to be shared: every access holds `condition`.
    private final class Queue: @unchecked Sendable {
        let condition = NSCondition()
        var values: [Value] = []
    }

    private let queue = Queue()

    func post(_ value: Value) {
        queue.condition.withLock {
            queue.values.append(value)
            queue.condition.signal()
        }
    }

    /// The next value; waits for it.
    func next() throws -> Value {
        try queue.condition.withLock {
            let deadline = Date(timeIntervalSinceNow: 20)
            while queue.values.isEmpty {
                guard queue.condition.wait(until: deadline) else { throw Silence() }
            }
            return queue.values.removeFirst()
        }
    }
}
