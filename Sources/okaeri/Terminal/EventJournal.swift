import Events
import ServiceLifecycle
import SystemPackage
import Systemd

/// Writes each event into the journal, with its fields.
struct EventJournal: Service {
    let journal: Journal
    let events: AsyncStream<Event>

    /// Ranging is told once a second: on an SD card that wears out, only somebody who looks for a fault wants it kept.
    let logsRanging: Bool

    func run() async throws {
        for await event in events {
            if case .didRangeBeacons = event.kind, !logsRanging { continue }
            // Without the journal its standard input still takes a line, and stamps it.
            if !event.write(to: journal) { try? Terminal.print(event.line) }
        }
        // The stream of a program that was left goes on unread until the end.
        try await gracefulShutdown()
    }
}
