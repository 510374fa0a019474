import NIOEmbedded
import Synchronization

/// Runs tasks on the thread that drains it, so that a conversation is over when nothing is left to run, and the same input always
/// takes the same way.
final class ManualExecutor: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// Runs what can run, in tasks and on the loop.
    func drain(_ loop: EmbeddedEventLoop) {
        loop.run()
        while true {
            let ready = jobs.withLock { jobs in
                defer { jobs = [] }
                return jobs
            }
            if ready.isEmpty { return }
            for job in ready {
                job.runSynchronously(on: asUnownedTaskExecutor())
                loop.run()
            }
        }
    }
}
