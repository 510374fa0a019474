import Logging
import OkaeriConfiguration
import OkaeriPlumbing
import ServiceLifecycle
import Synchronization
import SystemPackage

/// Stores the regions of the hub at a standby, and has the daemon go by them. Any client of the broker with the right to can change them:
/// it does so once in ten seconds at most.
final class HouseDefinitions: Service {
    private static let pause = Duration.seconds(10)

    private let directory: String?
    private let logger: Logger
    private let texts = AsyncStream.makeStream(of: [UInt8].self, bufferingPolicy: .bufferingNewest(1))
    private let reload = Mutex<(@Sendable () async -> Void)?>(nil)

    init(directory: String?, logger: Logger) { (self.directory, self.logger) = (directory, logger) }

    /// - Parameter reload: Reads the configuration again.
    func use(_ reload: @escaping @Sendable () async -> Void) { self.reload.withLock { $0 = reload } }

    func received(_ text: [UInt8]) { texts.continuation.yield(text) }

    func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            for await text in texts.stream {
                if await store(text) { await reload.withLock(\.self)?() }
                try? await Task.sleep(for: Self.pause)
            }
        }
        try await gracefulShutdown()
    }

    /// Returns whether the definitions are other ones than before.
    private func store(_ text: [UInt8]) async -> Bool {
        guard let directory else {
            logger.warning("a standby needs a state directory: it does not store the regions of its hub")
            return false
        }
        do {
            return try await BlockingThread.run({ code in Errno(rawValue: code) }) {
                () throws(any Error) in try HouseRegionsFile(directory: directory).write(text)
            }
        } catch {
            logger.warning("the regions of the hub are not used: \(error)")
            return false
        }
    }
}
