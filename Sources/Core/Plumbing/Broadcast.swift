import Synchronization

/// Delivers every value to every listener, in order. A slow listener does not delay the others.
package final class Broadcast<Value: Sendable>: Sendable {
    /// Is given a value; nil is the end.
    private typealias Listener = @Sendable (Value?) -> Void

    /// A value for the listeners at the time of its sending; `nil` is the end.
    private struct Delivery {
        let value: Value?
        let listeners: [Listener]
    }

    private struct Listeners {
        var next = 0
        var all: [Int: Listener] = [:]
        var latest: Value?
        /// The values for the first listener, the oldest first; `nil` when there was one.
        var stored: [Value]?
        var isClosed = false
        /// The values that were sent and not yet delivered, the oldest first.
        var outbox: [Delivery] = []
        /// Whether a thread delivers: then no other may, for the order's sake.
        var isDelivering = false

        mutating func enqueue(_ value: Value?) {
            outbox.append(Delivery(value: value, listeners: Array(all.values)))
        }

        /// Returns what the calling thread has to deliver; `nil` if there is nothing, or another thread is delivering.
        mutating func nextDelivery() -> Delivery? {
            guard !isDelivering, !outbox.isEmpty else { return nil }
            isDelivering = true
            return outbox.removeFirst()
        }
    }

    private let listeners: Mutex<Listeners>
    private let remembers: Bool

    /// The number of values that are stored for the first listener.
    private let storageLimit: Int

    /// Whether the second of two values is not news; nil: every value is.
    private let isSame: (@Sendable (Value, Value) -> Bool)?

    /// - Parameter remembers: Whether a new listener receives the latest value first.
    package init(remembers: Bool = false) {
        listeners = Mutex(Listeners())
        (self.remembers, storageLimit) = (remembers, 0)
        isSame = nil
    }

    /// Stores the values that are sent before the first listener for it.
    ///
    /// - Parameter limit: The number of stored values; of more the oldest are dropped.
    package init(storing limit: Int) {
        listeners = Mutex(Listeners(stored: []))
        (remembers, storageLimit) = (false, limit)
        isSame = nil
    }

    /// Remembers the latest value, and sends only what differs from it.
    ///
    /// - Parameter first: the latest value until another one is sent.
    package init(changesFrom first: Value) where Value: Equatable {
        listeners = Mutex(Listeners(latest: first))
        (remembers, storageLimit) = (true, 0)
        isSame = { $0 == $1 }
    }

    package var count: Int { listeners.withLock(\.all.count) }

    package var latest: Value? { listeners.withLock(\.latest) }

    /// Sends a value to every listener.
    package func send(_ value: Value) {
        enqueue(value)
        deliver()
    }

    /// Gives a value its place in the order of all, also under a lock of the caller. ``deliver()`` follows, outside of that lock.
    package func enqueue(_ value: Value) {
        listeners.withLock { listeners in
            guard !listeners.isClosed else { return }
            if let isSame, let latest = listeners.latest, isSame(latest, value) { return }
            if remembers { listeners.latest = value }
            if let count = listeners.stored?.count {
                if count >= storageLimit { listeners.stored?.removeFirst() }
                listeners.stored?.append(value)
                return
            }
            // Under the lock, or two threads might send in another order than they remember.
            listeners.enqueue(value)
        }
    }

    /// Delivers the enqueued values, unless another thread is delivering.
    ///
    /// Not under the lock: a value resumes the task that waits for it, and the task runs at once if it is being
    /// cancelled. Cancelling ends its stream first, which needs the lock.
    package func deliver() {
        while let delivery = listeners.withLock({ $0.nextDelivery() }) {
            for listener in delivery.listeners { listener(delivery.value) }
            listeners.withLock { $0.isDelivering = false }
        }
    }

    /// All values from now on, until the end.
    ///
    /// - Parameters:
    ///   - backlog: The number of values that a listener may lag behind; then its oldest values are dropped.
    ///   - initial: The first value of the listener before any was sent; `nil`: none.
    ///   - isWanted: Whether the listener receives a value. Its task is not woken for another one.
    package func values(
        backlog: Int, initial: Value? = nil, where isWanted: @escaping @Sendable (Value) -> Bool = { _ in true }
    ) -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(backlog))
        feed(continuation, initial: initial) { isWanted($0) ? $0 : nil }
        return stream
    }

    /// Puts all values from now on into a stream without a reader, which may have other sources. It ends with them.
    ///
    /// - Parameter item: Returns the item of a value; `nil`: none.
    package func feed<Item: Sendable>(
        _ continuation: AsyncStream<Item>.Continuation, initial: Value? = nil,
        _ item: @escaping @Sendable (Value) -> Item?
    ) {
        let listener: Listener = { value in
            guard let value else { return continuation.finish() }
            if let item = item(value) { continuation.yield(item) }
        }
        let id = listeners.withLock { listeners -> Int? in
            for value in listeners.stored ?? [] { listener(value) }
            listeners.stored = nil
            guard !listeners.isClosed else { return nil }
            if let latest = listeners.latest ?? initial { listener(latest) }
            listeners.next += 1
            listeners.all[listeners.next] = listener
            return listeners.next
        }
        guard let id else {
            continuation.finish()
            return
        }
        continuation.onTermination = { [weak self] _ in
            // Not under the lock: the listener may hold the last reference to the owner of this broadcast.
            _ = self?.listeners.withLock { $0.all.removeValue(forKey: id) }
        }
    }

    /// No more values come: every stream ends after what it holds.
    package func close() {
        listeners.withLock { listeners in
            listeners.isClosed = true
            listeners.enqueue(nil)
            listeners.all = [:]
        }
        deliver()
    }
}
