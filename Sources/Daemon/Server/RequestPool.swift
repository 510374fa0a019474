import OkaeriEvents
import HTTPTypes
import OkaeriPlumbing
import Synchronization

/// The threads of requests that wait for the disk: few, and only while there are such requests. A few more requests wait
/// for a thread, further ones are refused, so that clients cannot use up the threads of the process.
package final class RequestPool: Sendable {
    /// The number of threads: a long request delays no short one.
    package static let threads = 2

    /// The maximum number of requests that wait for a thread. A page that opens sends six.
    static let waiting = 32

    /// The time after which a refused client is to send its request again, in seconds.
    static let retryAfter = 2

    /// A request: is run on a thread, or refused with a failure.
    private typealias Job = @Sendable (PageFailure?) -> Void

    /// Starts a thread that runs a body.
    typealias Start = @Sendable (_ body: @escaping @Sendable () -> Void) throws(BlockingThread.StartError) -> Void

    private let queue: Mutex<RequestQueue<Job>>
    private let start: Start

    /// - Parameter threads: The maximum number of threads.
    package convenience init(threads: Int = RequestPool.threads) {
        self.init(threads: threads, waiting: Self.waiting)
    }

    /// - Parameters:
    ///   - threads: The maximum number of threads.
    ///   - waiting: The maximum number of requests that wait for a thread.
    ///   - start: Starts a thread.
    init(
        threads: Int, waiting: Int,
        start: @escaping Start = { body throws(BlockingThread.StartError) in
            try BlockingThread.start(body)
        }
    ) {
        queue = Mutex(RequestQueue(threads: threads, waiting: waiting))
        self.start = start
    }

    /// Runs `body` on a thread, and waits for it without blocking a thread of the tasks.
    ///
    /// - Returns: The result of the body.
    /// - Throws: The error of the body, or a refusal if there are too many requests or the machine has no thread left.
    package func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws(PageFailure) -> Value
    ) async throws(PageFailure) -> Value {
        let result = await withCheckedContinuation { (done: CheckedContinuation<Result<Value, PageFailure>, Never>) in
            add { failure in
                done.resume(returning: failure.map(Result.failure) ?? Result(catching: body))
            }
        }
        return try result.get()
    }

    private func add(_ job: @escaping Job) {
        switch queue.withLock({ $0.added(job) }) {
        case .wait: break
        case .refuse:
            job(
                PageFailure(
                    .serviceUnavailable, .tooManyRequests, "\(Self.retryAfter)", retryAfter: Self.retryAfter))
        case .startThread:
            do throws(BlockingThread.StartError) {
                try start { [self] in
                    var next: Job? = job
                    while let job = next {
                        job(nil)
                        next = queue.withLock { $0.jobEnded() }
                    }
                }
            } catch {
                let failure = PageFailure(error, retryAfter: Self.retryAfter)
                for job in [job] + queue.withLock({ $0.startFailed() }) { job(failure) }
            }
        }
    }
}

/// The decisions of a ``RequestPool``, without threads.
struct RequestQueue<Job: Sendable>: Sendable {
    /// The decision about a new job.
    enum Admission: Equatable {
        /// Start a thread that runs it.
        case startThread
        /// A thread takes it when it has finished another one.
        case wait
        case refuse
    }

    private let threads, limit: Int
    /// The number of threads that run, or are being started.
    private var running = 0
    /// The jobs that wait for a thread, the oldest first.
    private var waiting: [Job] = []

    init(threads: Int, waiting: Int) {
        self.threads = threads
        limit = waiting
    }

    mutating func added(_ job: Job) -> Admission {
        if running < threads {
            running += 1
            return .startThread
        }
        guard waiting.count < limit else { return .refuse }
        waiting.append(job)
        return .wait
    }

    /// A thread has finished a job.
    ///
    /// - Returns: The job that it runs next; `nil` to end the thread.
    mutating func jobEnded() -> Job? {
        guard waiting.isEmpty else { return waiting.removeFirst() }
        running -= 1
        return nil
    }

    /// A thread could not be started.
    ///
    /// - Returns: The jobs that no thread would take, to be refused.
    mutating func startFailed() -> [Job] {
        running -= 1
        guard running == 0 else { return [] }
        defer { waiting = [] }
        return waiting
    }
}
