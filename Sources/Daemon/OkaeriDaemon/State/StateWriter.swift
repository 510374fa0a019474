import OkaeriPlumbing
import Synchronization
import SystemPackage

/// The thread that encodes states and writes them. It stays: a thread for each write would each time encode in memory that
/// the allocator has set aside for that thread, and keep most of that memory from the others.
final class StateWriter: Sendable {
    typealias Replace = @Sendable (_ text: [UInt8]) throws(Errno) -> Void

    private struct Job {
        let state: PersistedState
        let done: CheckedContinuation<Result<Void, Errno>, Never>
    }

    private struct Slot {
        var job: Job?
        var isRunning = false
        var isOver = false
    }

    private let replace: Replace
    private let slot = Mutex(Slot())
    private let news = BinarySemaphore()

    /// - Parameter replace: puts a text in the place of the one before; called on the thread of the writer alone.
    init(replace: @escaping Replace) {
        self.replace = replace
    }

    /// Writes a state. One at a time: the caller awaits the end of a write before the next.
    ///
    /// The first write starts the thread; if that fails, the next tries again.
    func write(_ state: PersistedState) async throws(Errno) {
        try start()
        let result = await withCheckedContinuation { done in
            slot.withLock { slot in
                precondition(slot.job == nil, "a write while another one waits")
                slot.job = Job(state: state, done: done)
            }
            news.signal()
        }
        try result.get()
    }

    /// Ends the thread. No write may follow.
    func end() {
        slot.withLock { $0.isOver = true }
        news.signal()
    }

    private func start() throws(Errno) {
        guard !slot.withLock(\.isRunning) else { return }
        try BlockingThread.start(Errno.init(rawValue:)) { [self] in work() }
        slot.withLock { $0.isRunning = true }
    }

    private func work() {
        var encoder = StateEncoder()
        while true {
            news.wait()
            let (job, isOver) = slot.withLock { slot in
                defer { slot.job = nil }
                return (slot.job, slot.isOver)
            }
            if let job { job.done.resume(returning: write(job.state, &encoder)) }
            if isOver { return }
        }
    }

    private func write(_ state: PersistedState, _ encoder: inout StateEncoder) -> Result<Void, Errno> {
        do {
            try replace(encoder.text(of: state))
            return .success(())
        } catch {
            return .failure(error as? Errno ?? .invalidArgument)
        }
    }
}

/// Decides when state is worth a write: at once when what is known has changed or the clock was set, and from time to time
/// that it still holds and what was learned since. A card bears only so many writes.
struct WritingPlan: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// The time for which the file need not repeat that a region is still inside.
    let interval: Duration

    /// The delay after a failed write.
    private static let retryInterval = Duration.seconds(60)

    private var latest: PersistedState?

    /// The time at which the learned values are encoded next.
    private var learningDue: Instant?

    /// The time of the next look even without an event; `nil` before the first one.
    private(set) var due: Instant?

    /// - Parameter validFor: The age up to which state is valid. It is written well before it is that old.
    init(validFor: Duration) {
        interval = min(validFor * 2 / 3, .seconds(600))
    }

    /// Returns what is to be written now, or nil if nothing is.
    ///
    /// What was learned is replaced in the file when it is older than the interval: after a crash at most what was learned in
    /// two intervals is lost.
    ///
    /// - Parameter hasFailed: whether the last write failed, so that the file does not hold what it should.
    mutating func looked(at state: PersistedState, hasFailed: Bool, _ now: Instant) -> PersistedState? {
        let isNews =
            latest.map { !$0.isSameApartFromLearning(as: state) || !$0.written.isBySameClock(as: state.written) }
            ?? true
        guard isNews || due.map({ now >= $0 }) ?? true else { return nil }
        due = now.advanced(by: interval)
        // While no region is inside, the age of the state makes no difference.
        guard isNews || hasFailed || state.isOccupied || latest?.hasSameContent(as: state) != true else { return nil }
        var state = state
        if let latest, let learningDue, now < learningDue {
            state = state.learning(asIn: latest)
        } else {
            learningDue = now.advanced(by: interval)
        }
        latest = state
        return state
    }

    /// The write that was due has failed.
    mutating func failed(_ now: Instant) { due = now.advanced(by: Self.retryInterval) }
}
