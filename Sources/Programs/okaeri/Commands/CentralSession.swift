import ArgumentParser
import BlueZ
import Logging

/// This machine as a central, until its work is done or the user ends it.
struct CentralSession {
    let adapter: String?
    let logger: Logger

    /// Does the work, and ends with the exit status that fits when it comes to nothing.
    ///
    /// - Parameter limit: The seconds after which the work is ended; a failure only if Bluetooth cannot be used then.
    func run(for limit: Double? = nil, _ work: @escaping @Sendable (CentralManager) async throws -> Void) async throws {
        try await Self.run(logger: logger) {
            try await withCentralManager(adapter: adapter) { central in
                let isTimeUp = try await ends(within: limit) { try await work(central) }
                if isTimeUp, let obstacle = central.obstacle { throw obstacle }
            }
        }
    }

    /// Does work that uses a central, and ends with the exit status that fits when it comes to nothing.
    static func run(logger: Logger, _ work: @escaping @Sendable () async throws -> Void) async throws {
        do {
            try await untilInterrupted(logger: logger, work)
        } catch CentralError.cancelled {
        } catch let error as CentralError {
            throw CommandFailure(error.description, status: error.exitCode)
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
        case .noCharacteristic, .ambiguous, .notSupported, .refused, .cancelled: ExitCode.failure
        }
    }
}
