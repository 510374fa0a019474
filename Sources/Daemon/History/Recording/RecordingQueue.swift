import OkaeriEvents

/// The events that wait for the disk, and those that wait for the disk's answer to be published: events in, events out.
///
/// A value without a thread or a clock of its own.
struct RecordingQueue {
    typealias Time = ContinuousClock.Instant

    /// The events that are written together.
    struct Batch {
        var events: [Event] = []
        var minutes: [SignalMinute] = []
        var silences: [SilenceRecord] = []
        /// The number of events in all when it was taken.
        var end = 0
        /// Whether nothing comes any more.
        var isLast = false
    }

    /// The messages about a disk.
    enum StallNews: Equatable {
        case began
        case ended(lost: Int)
    }

    /// The number of events stored for a disk that does not answer: weeks of a home's events.
    static let backlog = 10_000

    private let limit: Duration
    private var batch = Batch()

    /// The events that are not published yet, with the times since which they wait.
    private var unpublished: [(event: Event, since: Time)] = []

    /// The numbers of events that came, were written and were published, since the start.
    private var (came, written, published) = (0, 0, 0)
    private var waiting: [(target: Int, continuation: CheckedContinuation<Void, Never>)] = []

    /// Whether events were taken that may not be published yet.
    private var isPublishing = false

    /// The number of events dropped while the disk did not answer.
    private var lost = 0
    private var stallNews: StallNews?

    /// The reason why nothing can be written now, if there is one; and that the disk does not answer.
    private(set) var problem: String?
    private(set) var stall: String?
    var isStopped = false
    var isWritten = false
    /// Whether the last batch has been published and nothing waits any more.
    private var isOver = false

    /// - Parameter limit: The time for which an event waits for the disk.
    init(limit: Duration) {
        self.limit = limit
    }

    /// Takes an event.
    ///
    /// - Returns: `false` if it is not taken: it is not recorded, and nothing before it has yet to be published.
    mutating func arrived(_ event: Event, at time: Time) -> Bool {
        if !event.isRecorded, unpublished.isEmpty, !isPublishing { return false }
        came += 1
        unpublished.append((event, time))
        batch.events.append(event)
        if batch.events.count > Self.backlog {
            lost += 1
            batch.events.removeFirst()
        }
        return true
    }

    mutating func arrived(_ minutes: [SignalMinute]) {
        batch.minutes += minutes
        if batch.minutes.count > Self.backlog { batch.minutes.removeFirst(batch.minutes.count - Self.backlog) }
    }

    mutating func arrived(_ silence: SilenceRecord) {
        batch.silences.append(silence)
        if batch.silences.count > Self.backlog { batch.silences.removeFirst() }
    }

    /// Returns the next events for the disk.
    mutating func takeBatch() -> Batch {
        defer { batch = Batch() }
        batch.end = came
        batch.isLast = isStopped
        return batch
    }

    /// The disk has answered.
    mutating func wrote(_ batch: Batch, problem: String?) {
        written = batch.end
        self.problem = problem
        guard stall != nil else { return }
        stall = nil
        stallNews = .ended(lost: lost)
        lost = 0
    }

    /// The disk cannot be asked at all.
    mutating func stalled(_ sentence: String) {
        stall = sentence
        stallNews = .began
    }

    /// Returns the events that can be published now, the waiting tasks, and whether those were the last events.
    mutating func take(at time: Time) -> (
        events: [Event], continuations: [CheckedContinuation<Void, Never>], isOver: Bool
    ) {
        if stall == nil, isLate(by: limit, at: time) {
            stalled("the disk has not answered for \(limit.components.seconds) s: what happens is not recorded")
        }
        let end = stall == nil ? written : came
        let events = unpublished.prefix(max(0, end - published)).map(\.event)
        unpublished.removeFirst(events.count)
        published += events.count
        isPublishing = !events.isEmpty
        let done = waiting.filter { $0.target <= published }
        waiting.removeAll { $0.target <= published }
        isOver = isStopped && published == came
        return (events, done.map(\.continuation), isOver)
    }

    /// Handles that the events of ``take(at:)`` are published.
    mutating func publicationEnded() { isPublishing = false }

    /// Whether the first that waits has done so for longer than `limit`.
    func isLate(by limit: Duration, at time: Time) -> Bool {
        unpublished.first.map { $0.since.duration(to: time) >= limit } ?? false
    }

    /// The time at which the first waiting event has waited for long enough.
    var due: Time? { unpublished.first.map { $0.since + limit } }

    /// The number of events without an answer of the disk.
    var unwritten: Int { came - written }

    /// Whether there is nothing to wait for. Otherwise the continuation is given back by ``take(at:)``.
    mutating func await(_ continuation: CheckedContinuation<Void, Never>) -> Bool {
        if published == came || isOver { return true }
        waiting.append((came, continuation))
        return false
    }

    mutating func takeStallNews() -> StallNews? {
        defer { stallNews = nil }
        return stallNews
    }
}
