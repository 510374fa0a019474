import Plumbing

/// The notifications to one server: sent in order, one at a time, each again with a growing delay until the server accepts it.
///
/// A value without a clock or a request: attempts and their results go in, the next attempt comes out.
struct Outbox: Sendable {
    typealias Instant = ContinuousClock.Instant

    struct Delivery: Sendable, Equatable {
        var body: [UInt8]
        /// The number of the prompt that it is about.
        var prompt: String?
        var added: Instant
    }

    /// The bounds of waiting notifications: beyond them the oldest is dropped.
    static let bound = 32
    static let byteBound = 65_536
    /// The age at which a notification is no news any more.
    static let lifetime = Duration.seconds(3600)

    enum State: Sendable, Equatable {
        /// No notification waits. → `waiting`: one was added.
        case idle
        /// The oldest notification is to be sent at that time. → `sending`: the time has come. → `idle`: its prompt was answered.
        case waiting(until: Instant)
        /// The oldest notification is being sent. → `waiting`: the next one is due, or the same one again later. → `idle`: no other
        /// one waits.
        case sending
    }

    /// The result of an attempt.
    enum Outcome: Sendable, Equatable {
        case sent
        /// It failed for a reason that may pass, and is repeated.
        case again
        case givenUp
    }

    private(set) var state = State.idle
    /// The oldest first.
    private(set) var waiting: [Delivery] = []
    private var bytes = 0
    private var delay: BackOff

    init(delay: BackOff = BackOff(.seconds(5), limit: .seconds(300))) {
        self.delay = delay
    }

    /// The time of the next attempt; `nil` if none is to be made.
    var due: Instant? {
        if case .waiting(let instant) = state { instant } else { nil }
    }

    /// Adds a notification. Returns the number of older ones that are dropped for it.
    mutating func add(_ delivery: Delivery) -> Int {
        waiting.append(delivery)
        bytes += delivery.body.count
        var dropped = 0
        // The one that is being sent stays.
        let first = state == .sending ? 1 : 0
        while waiting.count > Self.bound || bytes > Self.byteBound, waiting.count > first + 1 {
            bytes -= waiting.remove(at: first).body.count
            dropped += 1
        }
        if state == .idle { state = .waiting(until: delivery.added) }
        return dropped
    }

    /// Begins an attempt; `nil` if none is due.
    mutating func begin(at now: Instant) -> Delivery? {
        guard let due, due <= now, let first = waiting.first else { return nil }
        state = .sending
        return first
    }

    /// Handles the end of the attempt.
    mutating func ended(with problem: DeliveryProblem?, at now: Instant) -> Outcome {
        guard state == .sending, let first = waiting.first else { return .givenUp }
        if let problem, problem.isPassing {
            let next = now.advanced(by: delay.next())
            if first.added.duration(to: next) < Self.lifetime {
                state = .waiting(until: next)
                return .again
            }
            removeFirst(next: next)
            return .givenUp
        }
        delay.reset()
        removeFirst(next: now)
        return problem == nil ? .sent : .givenUp
    }

    private mutating func removeFirst(next: Instant) {
        bytes -= waiting.removeFirst().body.count
        state = waiting.isEmpty ? .idle : .waiting(until: next)
    }

    /// Removes the notifications of a prompt that needs no answer any more.
    mutating func remove(prompt: String) {
        let sent = state == .sending ? waiting.prefix(1) : []
        waiting = sent + waiting.dropFirst(sent.count).filter { $0.prompt != prompt }
        bytes = waiting.reduce(0) { $0 + $1.body.count }
        if waiting.isEmpty { state = .idle }
    }
}
