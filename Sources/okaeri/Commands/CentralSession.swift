import ArgumentParser
import BlueZ
import Glibc
import Logging
import ServiceLifecycle
import SystemPackage
import UnixSignals

/// This machine as a central, until its work is done or somebody ends it.
struct CentralSession {
    let adapter: String?
    let logger: Logger

    /// Does the work, and ends with the exit status that fits when it comes to nothing.
    ///
    /// - Parameter limit: after so many seconds the work is ended, and that is well.
    func run(for limit: Double? = nil, _ work: @escaping @Sendable (CentralManager) async throws -> Void) async throws {
        // Who stops reading, as `head` does, must not kill us: the discovery is to be ended.
        signal(SIGPIPE, SIG_IGN)
        let service = ServiceGroupConfiguration.ServiceConfiguration(
            service: Work(adapter: adapter, limit: limit, work: work),
            successTerminationBehavior: .gracefullyShutdownGroup)
        let group = ServiceGroup(
            configuration: .init(services: [service], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        do {
            try await group.run()
        } catch let error as CentralError {
            Terminal.complain(error.description)
            throw error.exitCode
        } catch Errno.brokenPipe {
        } catch let error as Errno {
            Terminal.complain("the output cannot be written: \(error)")
            throw Exit.ioError
        }
    }
}

private struct Work: ServiceLifecycle.Service {
    let adapter: String?
    let limit: Double?
    let work: @Sendable (CentralManager) async throws -> Void

    func run() async throws {
        do {
            try await cancelWhenGracefulShutdown {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await CentralManager.use(adapter: adapter, work) }
                    if let limit { group.addTask { try await Task.sleep(for: .seconds(limit)) } }
                    try await group.next()
                    group.cancelAll()
                }
            }
        } catch is CancellationError {
        } catch CentralError.cancelled {
        }
    }
}

extension CentralError {
    fileprivate var exitCode: ExitCode {
        switch self {
        case .noBus, .noDaemon, .noAdapter, .poweredOff, .notFound, .connectionFailed, .disconnected, .timedOut,
            .unexpected:
            Exit.unavailable
        case .notPermitted, .refused(_, .notAuthorized): Exit.noPermission
        case .noCharacteristic, .notSupported, .refused, .cancelled: ExitCode.failure
        }
    }
}
