import FoundationEssentials
import OkaeriConfiguration
import Plumbing
import SystemPackage

/// The time of writing, on every clock that can give the age later.
///
/// The wall clock may jump by a year in either direction, and a machine without a clock of its own wakes up in the
/// past. The time since the machine's start does neither, but means something within one start only.
struct StateStamp: Codable, Equatable, Sendable {
    /// Nanoseconds since the Unix epoch.
    var wall: Int64

    /// The machine's start, by the kernel's identifier.
    var boot: String?

    /// Nanoseconds since then, sleep included.
    var uptime: Int64

    /// Returns the age at `now`; `nil` if it is unknown, because the wall clock was set back since.
    func age(at now: StateStamp) -> Duration? {
        let isSameBoot = boot != nil && boot == now.boot
        let (age, overflow) =
            isSameBoot
            ? now.uptime.subtractingReportingOverflow(uptime) : now.wall.subtractingReportingOverflow(wall)
        return age < 0 || overflow ? nil : .nanoseconds(age)
    }

    /// Whether the wall clock was not set from the one to the other, within one start of the machine.
    ///
    /// After the next start the wall clock alone gives the age: a time from before the clock was set has to be
    /// replaced.
    func isBySameClock(as other: StateStamp) -> Bool {
        var watch = ClockWatch(at: moment)
        return boot == other.boot && watch.looked(at: other.moment) == nil
    }

    private var moment: Moment { Moment(instant: uptime, wall: wall) }

    /// Now, on the machine's clocks.
    static var now: StateStamp {
        StateStamp(wall: KernelClock.realtime, boot: boot, uptime: KernelClock.boottime)
    }

    /// The unit gives it to a service that cannot read most of /proc.
    private static let boot: String? = {
        if let id = ProcessInfo.processInfo.environment["OKAERI_BOOT_ID"], !id.isEmpty { return plain(id) }
        let id = try? FileDescriptor.contents(of: "/proc/sys/kernel/random/boot_id", limit: 64)
        return id.map { plain(String(decoding: $0, as: UTF8.self)) }
    }()

    /// The kernel's spelling of it and systemd's differ in the hyphens.
    static func plain(_ id: String) -> String { id.filter(\.isHexDigit) }
}
