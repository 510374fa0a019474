import Glibc
import OkaeriPlumbing

/// Times as the people of the house read them: in the machine's time zone.
///
/// By the C library, because FoundationEssentials knows no time zone but UTC.
package enum LocalTime {
    private static let second: Int64 = 1_000_000_000

    /// `2026-11-20 18:42:03 CET`.
    package static func text(_ nanoseconds: Int64) -> String { format(nanoseconds, "%Y-%m-%d %H:%M:%S %Z") }

    /// The same for a time of RFC 3339, the form for programs; the text itself if it is not one.
    package static func text(stamp: String) -> String { Timestamp.nanoseconds(stamp).map(text) ?? stamp }

    /// `2026-11-20`.
    package static func day(_ nanoseconds: Int64) -> String { format(nanoseconds, "%Y-%m-%d") }

    /// `18:42:03.412 CET`.
    package static func timeOfDay(_ nanoseconds: Int64) -> String {
        let milliseconds = "\(1000 + (nanoseconds % second + second) % second / 1_000_000)".dropFirst()
        return "\(format(nanoseconds, "%H:%M:%S")).\(milliseconds) \(format(nanoseconds, "%Z"))"
    }

    /// `18:42`.
    package static func clock(_ nanoseconds: Int64) -> String { format(nanoseconds, "%H:%M") }

    /// `Friday, 20 November 2026`.
    fileprivate static func date(_ nanoseconds: Int64) -> String { format(nanoseconds, "%A, %-d %B %Y") }

    /// `2026年11月20日(金)`.
    fileprivate static func japaneseDate(_ nanoseconds: Int64) -> String {
        let time = fields(nanoseconds)
        let days = Array("日月火水木金土")
        return format(nanoseconds, "%Y年%-m月%-d日") + "(\(days[Int(time.tm_wday) % days.count]))"
    }

    /// `CET, UTC+01:00`.
    package static func zone(_ nanoseconds: Int64) -> String {
        let (name, offset) = (format(nanoseconds, "%Z"), format(nanoseconds, "%z"))
        return name == "UTC" ? name : "\(name), UTC\(offset.prefix(3)):\(offset.dropFirst(3))"
    }

    /// Returns the offsets from UTC between two moments, with the moment of each change; the first one has none.
    package static func offsets(from start: Int64, to end: Int64) -> [(time: Int64?, name: String, seconds: Int)] {
        var offsets: [(time: Int64?, name: String, seconds: Int)] = []
        func add(_ time: Int64, isFirst: Bool = false) {
            offsets.append((isFirst ? nil : time, format(time, "%Z"), fields(time).tm_gmtoff))
        }
        add(start, isFirst: true)
        var known = start
        while known < end {
            // No zone changes its clock twice within a week.
            let next = min(end, known.addingReportingOverflow(7 * 86_400 * second).partialValue)
            guard known < next else { break }
            if isChanged(from: known, to: next) {
                var (before, after) = (known, next)
                while after - before > second {
                    let middle = before + (after - before) / 2
                    if isChanged(from: known, to: middle) { after = middle } else { before = middle }
                }
                // Clocks change at whole seconds.
                add(after - (after % second + second) % second)
            }
            known = next
        }
        return offsets
    }

    private static func isChanged(from first: Int64, to second: Int64) -> Bool {
        fields(first).tm_gmtoff != fields(second).tm_gmtoff || format(first, "%Z") != format(second, "%Z")
    }

    /// The first moment of a day.
    ///
    /// - Parameter days: The number of days after the one that contains `nanoseconds`.
    package static func startOfDay(_ nanoseconds: Int64, adding days: Int32 = 0) -> Int64 {
        var time = fields(nanoseconds)
        (time.tm_hour, time.tm_min, time.tm_sec) = (0, 0, 0)
        time.tm_mday += days
        return earliest(&time)
    }

    /// Returns the first moment at which a clock on the wall shows a time. If the clock is set forward past that time, it is the
    /// moment of the change. The answer of `mktime` depends on its calls before where the hour is repeated.
    private static func earliest(_ time: inout tm) -> Int64 {
        // In seconds: at the ends of a clock of nanoseconds, a time may be beyond them in UTC and within them here.
        let shown = Int64(timegm(&time))
        let day: Int64 = 86_400
        let offsets = offsets(
            from: (shown - day).multipliedClamped(by: second), to: (shown + day).multipliedClamped(by: second))
        let moments = offsets.compactMap { offset in
            let moment = (shown - Int64(offset.seconds)).multipliedClamped(by: second)
            return fields(moment).tm_gmtoff == offset.seconds ? moment : nil
        }
        let changes = zip(offsets, offsets.dropFirst()).compactMap { before, after in
            after.time.flatMap { time in
                let change = time / second
                return change + Int64(before.seconds) <= shown && shown < change + Int64(after.seconds) ? time : nil
            }
        }
        return moments.min() ?? changes.first ?? shown.multipliedClamped(by: second)
    }

    /// The moment that a clock on the wall calls `2026-11-20`, `2026-11-20T18:42` or `2026-11-20T18:42:03`, with a space for
    /// the `T` if you like; `nil` for another text. In the hour that a change of the clock repeats, it is the first one.
    package static func moment(_ text: String) -> Int64? {
        let form = "0000-00-00T00:00:00"
        guard [10, 16, 19].contains(text.utf8.count), zip(text, form).allSatisfy(isFine) else { return nil }
        let numbers = text.split { !$0.isNumber }.compactMap { Int32($0) } + [0, 0, 0]
        guard 1...12 ~= numbers[1], 1...31 ~= numbers[2], numbers[3] < 24, numbers[4] < 60, numbers[5] < 61 else {
            return nil
        }
        var time = tm()
        (time.tm_year, time.tm_mon, time.tm_mday) = (numbers[0] - 1900, numbers[1] - 1, numbers[2])
        (time.tm_hour, time.tm_min) = (numbers[3], numbers[4])
        var day = time
        _ = timegm(&day)
        // The 31st of a shorter month was moved on to the next.
        guard day.tm_mday == numbers[2] else { return nil }
        time.tm_sec = numbers[5]
        return earliest(&time)
    }

    private static func isFine(_ character: Character, _ form: Character) -> Bool {
        switch form {
        case "0": character.isASCII && character.isNumber
        case "T": character == "T" || character == " "
        case let sign: character == sign
        }
    }

    private static func fields(_ nanoseconds: Int64) -> tm {
        var seconds = time_t(nanoseconds / second - (nanoseconds % second < 0 ? 1 : 0))
        var time = tm()
        localtime_r(&seconds, &time)
        return time
    }

    private static func format(_ nanoseconds: Int64, _ form: String) -> String {
        var time = fields(nanoseconds)
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            guard let start = buffer.baseAddress else { return "" }
            let count = strftime(start, buffer.count, form, &time)
            return String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }
}

extension Language {
    /// Returns the date with the day of the week.
    package func date(_ nanoseconds: Int64) -> String {
        self == .japanese ? LocalTime.japaneseDate(nanoseconds) : LocalTime.date(nanoseconds)
    }
}
