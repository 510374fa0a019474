import OkaeriEvents
import OkaeriListening
import OkaeriPlumbing
import OkaeriSystemd
import SystemPackage

/// The output of events by `okaeri monitor`.
enum EventPrinter {
    /// Returns what prints each event on standard output, as a JSON object or as a line for a person.
    static func onStandardOutput(_ hub: EventHub, asJSON: Bool) -> EventOutput {
        EventOutput(hub: hub, reportMissing: { report($0, missingFrom: "standard output is read") }) { event in
            do throws(Errno) {
                try Terminal.print(asJSON ? event.json : event.line)
                return true
            } catch {
                // The reader has ended, or the disk is full. The regions are watched all the same.
                Terminal.printNotice("standard output cannot be written: \(error); events are not printed any more")
                return false
            }
        }
    }

    /// Returns what writes each event into the journal, with its fields.
    ///
    /// - Parameter logsRanging: whether ranging is written as well. It comes once a second, and an SD card wears out.
    static func inJournal(_ hub: EventHub, _ journal: Journal, logsRanging: Bool) -> EventOutput {
        EventOutput(hub: hub, reportMissing: { report($0, missingFrom: "the journal accepts them") }) { event in
            if case .didRangeBeacons = event.kind, !logsRanging { return true }
            // Without the journal its standard input still takes a line, and stamps it.
            if !event.write(to: journal) { try? Terminal.print(event.line) }
            return true
        }
    }

    private static func report(_ count: UInt64, missingFrom output: String) {
        Terminal.printNotice(
            "warning: \(quantity(count, "event was", plural: "events were")) not written: \(output) too slowly; `okaeri history` has all but ranging"
        )
    }
}
