import Glibc
import Logging
import ServiceLifecycle
import SystemPackage
import UnixSignals

/// Does the work until it is done, SIGTERM or SIGINT ends it, or the output has no reader any more.
func untilInterrupted(logger: Logger, _ work: @escaping @Sendable () async throws -> Void) async throws {
    // A reader that ends early, as `head` does, must not kill the process: it still has to end its work in order.
    signal(SIGPIPE, SIG_IGN)
    let service = ServiceGroupConfiguration.ServiceConfiguration(
        service: Work(work: work), successTerminationBehavior: .gracefullyShutdownGroup)
    let group = ServiceGroup(
        configuration: .init(services: [service], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
    do {
        try await group.run()
    } catch Errno.brokenPipe {
    }
}

private struct Work: Service {
    let work: @Sendable () async throws -> Void

    func run() async throws {
        do {
            try await cancelWhenGracefulShutdown { try await work() }
        } catch is CancellationError {
        }
    }
}

/// Does the work, at most for so many seconds, and returns whether the time was up first.
func ends(within limit: Double?, _ work: @escaping @Sendable () async throws -> Void) async throws -> Bool {
    try await withThrowingTaskGroup(of: Bool.self) { group in
        group.addTask {
            try await work()
            return false
        }
        if let limit {
            group.addTask {
                try await Task.sleep(for: .seconds(limit))
                return true
            }
        }
        defer { group.cancelAll() }
        return try await group.next() ?? false
    }
}
