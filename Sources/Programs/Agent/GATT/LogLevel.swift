package import Logging
import Synchronization

/// The least severity that the process logs, changed while it runs.
package final class LogLevel: Sendable {
    private let level: Mutex<Logger.Level>

    /// The level to begin with.
    package init(_ level: Logger.Level) {
        self.level = Mutex(level)
    }

    /// The present level. It takes effect with the next line.
    package var value: Logger.Level {
        get { level.withLock(\.self) }
        set { level.withLock { $0 = newValue } }
    }

    /// A logger of this level, which logs where `logger` does.
    package func logger(_ logger: Logger) -> Logger {
        Logger(label: logger.label) { [self] _ in LevelledLogHandler(handler: logger.handler, level: self) }
    }
}

private struct LevelledLogHandler: LogHandler {
    var handler: any LogHandler
    let level: LogLevel

    var logLevel: Logger.Level {
        get { level.value }
        set { level.value = newValue }
    }

    var metadata: Logger.Metadata {
        get { handler.metadata }
        set { handler.metadata = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { handler[metadataKey: key] }
        set { handler[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) {
        handler.log(event: event)
    }
}
