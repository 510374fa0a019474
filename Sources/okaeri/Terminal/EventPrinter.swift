import Events
import ServiceLifecycle
import SystemPackage

/// Prints each event on standard output, as a JSON object or as a line for a person.
struct EventPrinter: Service {
    let events: AsyncStream<Event>
    let asJSON: Bool

    func run() async throws {
        var isBroken = false
        for await event in events where !isBroken {
            do throws(Errno) {
                try Terminal.print(asJSON ? event.json : event.line)
            } catch {
                // Nobody reads any more, or the disk is full. The regions are watched all the same.
                isBroken = true
                Terminal.complain("standard output cannot be written (\(error)); events are not printed any more")
            }
        }
        // The stream of a program that was left goes on unread until the end.
        try await gracefulShutdown()
    }
}
