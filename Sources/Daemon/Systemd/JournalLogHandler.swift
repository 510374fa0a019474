package import Logging

/// Logs to the journal, with the metadata as fields; to another handler where the journal takes nothing.
package struct JournalLogHandler: LogHandler {
    private let journal: Journal
    private var fallback: any LogHandler

    package init(_ journal: Journal, fallback: any LogHandler) {
        self.journal = journal
        self.fallback = fallback
    }

    package var metadata: Logger.Metadata {
        get { fallback.metadata }
        set { fallback.metadata = newValue }
    }

    package var logLevel: Logger.Level {
        get { fallback.logLevel }
        set { fallback.logLevel = newValue }
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { fallback[metadataKey: key] }
        set { fallback[metadataKey: key] = newValue }
    }

    package func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { _, new in new }.sorted { $0.key < $1.key }
        let details = all.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
        let isWritten = journal.write(
            "\(event.message)" + (details.isEmpty ? "" : " (\(details))"), priority: Journal.Priority(event.level),
            fields: all.map { Journal.Field($0.key, "\($0.value)") })
        if !isWritten { fallback.log(event: event) }
    }
}

extension Journal.Priority {
    package init(_ level: Logger.Level) {
        self =
            switch level {
            case .trace, .debug: .debug
            case .info: .info
            case .notice: .notice
            case .warning: .warning
            case .error: .error
            case .critical: .critical
            }
    }
}
