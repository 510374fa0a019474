import Glibc
import Plumbing

struct Log {
    let descriptor: Int32

    func write(_ line: String) throws(SystemError) {
        var bytes = Array("\(Self.time()) \(line)\n".utf8)
        while !bytes.isEmpty {
            let count = try OwnedDescriptor.retrying("writing the log") {
                Glibc.write(descriptor, bytes, bytes.count)
            }
            bytes.removeFirst(count)
        }
    }

    /// RFC 3339, UTC, milliseconds.
    private static func time() -> String {
        let (seconds, rest) = KernelClock.realtime.quotientAndRemainder(dividingBy: 1_000_000_000)
        var (time, calendar) = (time_t(seconds), tm())
        gmtime_r(&time, &calendar)
        let date = [Int(calendar.tm_year) + 1900, Int(calendar.tm_mon) + 1, Int(calendar.tm_mday)].map { padded($0, 2) }
        let clock = [calendar.tm_hour, calendar.tm_min, calendar.tm_sec].map { padded(Int($0), 2) }
        let milliseconds = padded(Int(rest) / 1_000_000, 3)
        return "\(date.joined(separator: "-"))T\(clock.joined(separator: ":")).\(milliseconds)Z"
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
