import Plumbing
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
