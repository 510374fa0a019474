import Logging
import OkaeriConfiguration
import Plumbing
import Synchronization
import Systemd

/// Reads the configuration again, and gives it to every part that goes by it.
final class Reloader: Sendable {
    private let file: String
    private let configuration: Mutex<Configuration>
    private let parts: [any Configured]
    private let supervision: Supervision?
    private let logger: Logger

    /// - Parameter parts: in the order in which they are given it.
    init(
        file: String, configuration: Configuration, parts: [any Configured], supervision: Supervision?, logger: Logger
    ) {
        self.file = file
        self.configuration = Mutex(configuration)
        self.parts = parts
        self.supervision = supervision
        self.logger = logger
    }

    func reload() async {
        supervision?.reloading()
        do throws(ConfigurationError) {
            let new = try await read()
            let old = configuration.withLock { configuration in
                defer { configuration = new }
                return configuration
            }
            if (old.adapter, old.scan, old.history, old.mqtt, old.metrics, old.web)
                != (new.adapter, new.scan, new.history, new.mqtt, new.metrics, new.web)
            {
                logger.warning(
                    "changes of adapter, scan, history, mqtt, metrics and web take effect at the next start; run `sudo systemctl restart okaeri`"
                )
            }
            for part in parts { await part.configured(new) }
            logger.notice("the configuration was read again", metadata: ["file": "\(file)"])
            supervision?.reloaded(Set(new.regions.map(\.identifier)))
        } catch {
            supervision?.reloaded(nil)
            logger.error("the configuration was not read again; the old one stays in force:\n\(error)")
        }
    }

    private func read() async throws(ConfigurationError) -> Configuration {
        try await BlockingThread.run({ [file] code in
            ConfigurationError(
                file: file, place: "reading it", found: "no free thread (error \(code))", expected: "one")
        }) { [file] () throws(ConfigurationError) in try Configuration(file: file) }
    }
}
