public import Logging
import Synchronization

/// How much the process says, changed while it runs.
public final class LogLevel: Sendable {
    private let level: Mutex<Logger.Level>

    public init(_ level: Logger.Level) {
        self.level = Mutex(level)
    }

    public var value: Logger.Level {
        get { level.withLock(\.self) }
        set { level.withLock { $0 = newValue } }
    }

    /// A logger that says as much as this asks for, where `logger` says it.
    public func logger(_ logger: Logger) -> Logger {
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
