import FoundationEssentials
import Glibc

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

    /// Nanoseconds since the Unix epoch, from a time of RFC 3339 such as ``text(_:)`` writes; nil for anything else.
    ///
    /// By the C library: a report has one for each region, and FoundationEssentials takes ten times as long for it.
    package static func nanoseconds(_ text: String) -> Int64? {
        guard let fields = LocalTime.fields(String(text.prefix(19))), text.utf8.count > 19 else { return nil }
        var (rest, milliseconds) = (text.dropFirst(19), Int64(0))
        if rest.first == "." {
            let digits = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
            guard let fraction = Int64("\(digits)00".prefix(3)), !digits.isEmpty else { return nil }
            (rest, milliseconds) = (rest.dropFirst(digits.count + 1), fraction)
        }
        guard let zone = offset(rest), let seconds = LocalTime.seconds(fields, timegm) else { return nil }
        let (nanoseconds, overflow) = ((seconds - zone) * 1000 + milliseconds).multipliedReportingOverflow(by: million)
        // What lies before or after all that a clock of nanoseconds can show lies before or after all history.
        return overflow ? (seconds < 0 ? .min : .max) : nanoseconds
    }

    /// How many seconds a zone is ahead of UTC: `Z`, or `+01:00`.
    private static func offset(_ zone: Substring) -> Int64? {
        if zone == "Z" { return 0 }
        guard let sign = zone.first, "+-".contains(sign), LocalTime.hasForm("00:00", String(zone.dropFirst())) else {
            return nil
        }
        let numbers = zone.dropFirst().split(separator: ":").compactMap { Int64($0) }
        return (sign == "-" ? -1 : 1) * (numbers[0] * 3600 + numbers[1] * 60)
    }

    /// `20261121T073109412Z`: for a file's name.
    package static func compact(_ nanoseconds: Int64) -> String {
        text(nanoseconds).filter { !"-:.".contains($0) }
    }
}
