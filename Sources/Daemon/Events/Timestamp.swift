import FoundationEssentials
import OkaeriPlumbing

/// Points in time as text.
package enum Timestamp {
    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    private static let million: Int64 = 1_000_000

    /// RFC 3339, UTC, milliseconds, from nanoseconds since the Unix epoch.
    package static func text(_ nanoseconds: Int64) -> String {
        // Whole milliseconds, rounded down: a time must not lie after what it stamps.
        let milliseconds = nanoseconds / million - (nanoseconds % million < 0 ? 1 : 0)
        // The formatter rounds down as well, and a Double may lie below the number it stands for.
        return Date(timeIntervalSince1970: (Double(milliseconds) + 0.2) / 1000).formatted(style)
    }

    /// Nanoseconds since the Unix epoch, from what ``text(_:)`` writes, with or without fractions; nil for anything else.
    package static func nanoseconds(_ text: String) -> Int64? {
        guard let date = (try? Date(text, strategy: style)) ?? (try? Date(text, strategy: .iso8601)),
            let milliseconds = Int64(exactly: (date.timeIntervalSince1970 * 1000).rounded())
        else { return nil }
        // What lies before or after all that a clock of nanoseconds can show lies before or after all history.
        return milliseconds.multipliedClamped(by: million)
    }

    /// `20261121T073109412Z`: for a file's name.
    package static func compact(_ nanoseconds: Int64) -> String {
        text(nanoseconds).filter { !"-:.".contains($0) }
    }
}

/// An offset of the machine's time zone from UTC. It counts until the next one of a list.
package struct ZoneOffset: Codable, Sendable, Equatable {
    /// The moment from which on it counts, RFC 3339; `nil` for the first of a list.
    package var from: String?
    /// The name of the time zone, such as `CET`, and `CEST` in summer.
    package var name: String
    /// In seconds, positive in the east of Greenwich.
    package var seconds: Int
}

extension ZoneOffset {
    private static let year: Int64 = 366 * 86_400 * 1_000_000_000

    /// The largest span of a list.
    private static let yearLimit: Int64 = 20

    /// Returns the offsets from a year before `now`, or from an earlier moment, until a year after.
    ///
    /// - Parameter first: The earliest moment that is wanted. Of more than twenty years only the last ones are listed.
    package static func list(around now: Int64, since first: Int64? = nil) -> [ZoneOffset] {
        let earliest = now.addingClamped(-yearLimit * year)
        let start = max(earliest, min(first ?? .max, now.addingClamped(-year)))
        return LocalTime.offsets(from: start, to: now.addingClamped(year)).map { offset in
            ZoneOffset(from: offset.time.map(Timestamp.text), name: offset.name, seconds: offset.seconds)
        }
    }
}
