import Events
import Plumbing

/// A point in time as people write it on a command line.
package enum WrittenTime {
    package static let forms =
        "today, yesterday, 2h (also s, m, d, w), 2026-11-20, 2026-11-20T18:42 or 2026-11-20T18:42:00Z"

    private static let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]

    /// Reads one of the ``forms``, as nanoseconds since the Unix epoch; nil for anything else. Without a zone it is the machine's.
    package static func nanoseconds(_ text: String, now: Int64) -> Int64? {
        switch text {
        case "now": return now
        case "today": return LocalTime.startOfDay(now)
        case "yesterday": return LocalTime.startOfDay(now, adding: -1)
        default: break
        }
        if let unit = text.last.flatMap({ units[$0] }), let count = Int64(decimal: text.dropLast()), count >= 0 {
            let (seconds, overflow) = count.multipliedReportingOverflow(by: unit)
            // What lies before the epoch lies before all history.
            return overflow || seconds > now / 1_000_000_000 ? 0 : now - seconds * 1_000_000_000
        }
        return Timestamp.nanoseconds(text) ?? LocalTime.moment(text)
    }
}
