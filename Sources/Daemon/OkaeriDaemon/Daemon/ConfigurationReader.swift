import Logging
import OkaeriConfiguration
import OkaeriEvents
import Synchronization

/// Reads `beacons.json` with the regions that the page has saved, and keeps the use of those for reports.
final class ConfigurationReader: Sendable {
    private let file: String
    private let directory: String?
    private let used: Mutex<SavedReport>
    private let logger: Logger

    /// - Parameters:
    ///   - directory: The state directory; `nil`: there is none.
    ///   - used: The use of the saved regions at the start.
    init(file: String, directory: String?, used: SavedReport, logger: Logger) {
        self.file = file
        self.directory = directory
        self.used = Mutex(used)
        self.logger = logger
    }

    /// Reads the configuration again.
    func read() throws(ConfigurationError) -> Configuration {
        let merged = try MergedConfiguration(file: file, directory: directory)
        var configuration = merged.configuration
        try configuration.readIdentities(file: file)
        for problem in merged.saved.problems { logger.warning("\(problem)") }
        used.withLock { $0 = merged.saved }
        return configuration
    }

    /// The file of each region that the page has saved or changed; `nil` for the others.
    var sources: @Sendable (String) -> String? {
        let used = used.withLock(\.self)
        return { used.file(of: $0) }
    }

    /// The use of the saved regions; `nil` without a state directory.
    var report: StatusReport.Saved? {
        used.withLock { used in
            used.file.map { .init(file: $0, problems: used.problems.isEmpty ? nil : used.problems) }
        }
    }
}
