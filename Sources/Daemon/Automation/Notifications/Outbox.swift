import OkaeriPlumbing

/// The notifications to one server: sent in order, one at a time, each again with a growing delay until the server accepts it.
///
/// A value without a clock or a request: attempts and their results go in, the next attempt comes out.
struct Outbox: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// The subject of a notification that is not news any more when the subject ends.
    enum Subject: Sendable, Equatable {
        /// A prompt, by its number, until it is answered or withdrawn.
        case prompt(String)
        /// The alert that Bluetooth does not work, until it works.
        case bluetooth
    }

    struct Delivery: Sendable, Equatable {
        var body: [UInt8]
        var subject: Subject?
        var added: Instant
        /// Whether its subject ended while it was being sent.
        var isObsolete = false
    }

    /// The bounds of waiting notifications: beyond them the oldest is dropped.
    static let bound = 32
    static let byteBound = 65_536
    /// The age at which a notification is not news any more.
    static let lifetime = Duration.seconds(3600)

    enum State: Sendable, Equatable {
        /// No notification waits. → `waiting`: one was added.
        case idle
        /// The oldest notification is to be sent at that time. → `sending`: the time has come. → `idle`: its subject has ended, or all are
        /// too old.
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
        /// It failed, and its subject has ended.
        case obsolete
        case givenUp
    }

    private(set) var state = State.idle
    /// The oldest first.
    private(set) var waiting: [Delivery] = []
    private var bytes = 0
    /// The number of notifications that were too old to be sent, and that are not counted yet.
    private var expired = 0
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

    /// Begins an attempt; `nil` if none is due. Removes the notifications that are too old.
    mutating func begin(at now: Instant) -> Delivery? {
        guard let due, due <= now else { return nil }
        removeExpired(at: now)
        guard let first = waiting.first else {
            state = .idle
            return nil
        }
        state = .sending
        return first
    }

    /// Returns the number of notifications that were removed because of their age since the last call.
    mutating func takeExpired() -> Int {
        defer { expired = 0 }
        return expired
    }

    /// Handles the end of the attempt. Removes the notifications that are too old before the next one.
    mutating func ended(with problem: DeliveryProblem?, at now: Instant) -> Outcome {
        guard state == .sending, let first = waiting.first else { return .givenUp }
        guard let problem, problem.isPassing else {
            delay.reset()
            removeFirst(next: now)
            return problem == nil ? .sent : .givenUp
        }
        let next = now.advanced(by: delay.next())
        guard first.isObsolete || Self.isExpired(first, at: next) else {
            state = .waiting(until: next)
            return .again
        }
        removeFirst(next: next)
        return first.isObsolete ? .obsolete : .givenUp
    }

    private mutating func removeFirst(next: Instant) {
        bytes -= waiting.removeFirst().body.count
        removeExpired(at: next)
        state = waiting.isEmpty ? .idle : .waiting(until: next)
    }

    private static func isExpired(_ delivery: Delivery, at instant: Instant) -> Bool {
        delivery.added.duration(to: instant) >= lifetime
    }

    private mutating func removeExpired(at instant: Instant) {
        while let first = waiting.first, Self.isExpired(first, at: instant) {
            bytes -= waiting.removeFirst().body.count
            expired += 1
        }
    }

    /// Removes the notifications of a subject that has ended. The one that is being sent is not repeated.
    mutating func remove(_ subject: Subject) {
        if state == .sending, waiting.first?.subject == subject { waiting[0].isObsolete = true }
        let sent = state == .sending ? waiting.prefix(1) : []
        waiting = sent + waiting.dropFirst(sent.count).filter { $0.subject != subject }
        bytes = waiting.reduce(0) { $0 + $1.body.count }
        if waiting.isEmpty { state = .idle }
    }
}
