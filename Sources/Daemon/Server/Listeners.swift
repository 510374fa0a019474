package import Events
import Synchronization

/// The states of the listeners beside the socket, by the key of the configuration.
package final class Listeners: Sendable {
    private let known = Mutex<[String: ListenerReport]>([:])

    package init() {}

    /// Nil where there is none.
    package var reports: [ListenerReport]? {
        let reports = known.withLock { $0.values.sorted { $0.name < $1.name } }
        return reports.isEmpty ? nil : reports
    }

    package func report(_ report: ListenerReport) { known.withLock { $0[report.name] = report } }
}
