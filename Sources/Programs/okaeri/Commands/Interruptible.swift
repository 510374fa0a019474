import Glibc
import Logging
import ServiceLifecycle
import SystemPackage
import UnixSignals

/// Does the work until it is done, the time is up, SIGTERM or SIGINT ends it, or the output has no reader any more.
///
/// - Parameter limit: after so many seconds the work is ended, and that is well.
func untilInterrupted(
    for limit: Double? = nil, logger: Logger, _ work: @escaping @Sendable () async throws -> Void
) async throws {
    // A reader that ends early, as `head` does, must not kill the process: it still has to end its work in order.
    signal(SIGPIPE, SIG_IGN)
    let service = ServiceGroupConfiguration.ServiceConfiguration(
        service: Work(limit: limit, work: work), successTerminationBehavior: .gracefullyShutdownGroup)
    let group = ServiceGroup(
        configuration: .init(services: [service], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
    do {
        try await group.run()
    } catch Errno.brokenPipe {
    } catch let error as Errno {
        Terminal.complain("the output cannot be written: \(error)")
        throw Exit.ioError
    }
}

private struct Work: Service {
    let limit: Double?
    let work: @Sendable () async throws -> Void

    func run() async throws {
        do {
            try await cancelWhenGracefulShutdown {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await work() }
                    if let limit { group.addTask { try await Task.sleep(for: .seconds(limit)) } }
                    try await group.next()
                    group.cancelAll()
                }
            }
        } catch is CancellationError {
        }
    }
}
