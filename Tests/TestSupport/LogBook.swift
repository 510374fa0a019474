package import Logging

/// A logger without output.
package let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

/// Collects what is logged.
package final class LogBook: Sendable {
    private let lines = Watched<[String]>([])

    package init() {}

    /// Waits until so many lines contain these words.
    package func logged(_ words: String, times: Int = 1, file: String = #fileID, line: Int = #line) async throws {
        try await lines.wait(until: "“\(words)” is logged", file: file, line: line) { lines in
            lines.count { $0.contains(words) } >= times
        }
    }

    package var text: [String] { lines.value }

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
            book.lines.change { $0.append("\(event.level): \(event.message)") }
        }
    }
}
