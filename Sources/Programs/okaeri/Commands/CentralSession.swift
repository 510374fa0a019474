import ArgumentParser
import BlueZ
import Logging

/// This machine as a central, until its work is done or the user ends it.
struct CentralSession {
    let adapter: String?
    let logger: Logger

    /// Does the work, and ends with the exit status that fits when it comes to nothing.
    ///
    /// - Parameter limit: after so many seconds the work is ended, and that is well.
    func run(for limit: Double? = nil, _ work: @escaping @Sendable (CentralManager) async throws -> Void) async throws {
        do {
            try await untilInterrupted(for: limit, logger: logger) {
                try await CentralManager.use(adapter: adapter, work)
            }
        } catch CentralError.cancelled {
        } catch let error as CentralError {
            Terminal.complain(error.description)
            throw error.exitCode
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
