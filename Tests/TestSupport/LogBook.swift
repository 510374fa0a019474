package import Logging
import Synchronization

/// A logger without output.
package let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

/// Collects what is logged.
package final class LogBook: Sendable {
    private let lines = Mutex<[String]>([])
    private let news = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    package init() {}

    /// Waits until so many lines contain these words; the test's own time limit ends the wait.
    package func logged(_ words: String, times: Int = 1) async throws {
        func isThere() -> Bool { count(words) >= times }
        if isThere() { return }
        for await _ in news.stream where isThere() { return }
        throw CancellationError()
    }

    package var text: [String] { lines.withLock { $0 } }

    /// Returns the number of lines that contain these words.
    package func count(_ words: String) -> Int { text.count { $0.contains(words) } }

    package var logger: Logger {
        var logger = Logger(label: "test") { _ in Handler(book: self) }
        logger.logLevel = .debug
        return logger
    }

    private struct Handler: LogHandler {
        let book: LogBook
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.debug

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            book.lines.withLock { $0.append("\(event.level): \(event.message)") }
            book.news.continuation.yield()
        }
    }
}
