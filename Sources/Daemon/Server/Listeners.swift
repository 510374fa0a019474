package import OkaeriEvents
import Synchronization

/// The states of the listeners beside the socket, by the key of the configuration.
package final class Listeners: Sendable {
    private let known = Mutex<[String: ListenerReport]>([:])
    private let reported: @Sendable (ListenerReport) -> Void
    private let removed: @Sendable (String) -> Void

    /// - Parameters:
    ///   - reported: Receives each report.
    ///   - removed: Receives the name of each listener that is removed.
    package init(
        _ reported: @escaping @Sendable (ListenerReport) -> Void = { _ in },
        removed: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        (self.reported, self.removed) = (reported, removed)
    }

    /// Nil where there is none.
    package var reports: [ListenerReport]? {
        let reports = known.withLock { $0.values.sorted { $0.name < $1.name } }
        return reports.isEmpty ? nil : reports
    }

    package func report(_ report: ListenerReport) {
        known.withLock { $0[report.name] = report }
        reported(report)
    }

    /// Handles that the configuration names the listener no more.
    package func remove(_ name: String) {
        known.withLock { $0[name] = nil }
        removed(name)
    }
}
