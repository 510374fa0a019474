import Plumbing

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
