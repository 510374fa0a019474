import FoundationEssentials
import OkaeriConfiguration
import Plumbing
import SystemPackage

/// When state was written, on every clock that can tell its age later.
///
/// The wall clock may jump by a year in either direction, and a machine without a clock of its own wakes up in the past.
/// The time since the machine's start does neither, but means something within one start only.
package struct StateStamp: Codable, Equatable, Sendable {
    /// Nanoseconds since the Unix epoch.
    package var wall: Int64

    /// Which start of the machine it was, as the kernel names it.
    package var boot: String?

    /// Nanoseconds since then, sleep included.
    package var uptime: Int64

    package init(wall: Int64, boot: String?, uptime: Int64) {
        self.wall = wall
        self.boot = boot
        self.uptime = uptime
    }

    /// How long before `now` this was; nil when it cannot be told, because the wall clock was set back since.
    func age(at now: StateStamp) -> Duration? {
        let isSameBoot = boot != nil && boot == now.boot
        let (age, overflow) =
            isSameBoot
            ? now.uptime.subtractingReportingOverflow(uptime) : now.wall.subtractingReportingOverflow(wall)
        return age < 0 || overflow ? nil : .nanoseconds(age)
    }

    /// Whether nobody has set the wall clock from the one to the other, within one start of the machine.
    ///
    /// After the next start the wall clock alone tells the age: a time that the clock does not stand by is to be replaced.
    func isBySameClock(as other: StateStamp) -> Bool {
        var watch = ClockWatch(wall: wall, uptime: uptime)
        return boot == other.boot && watch.looked(wall: other.wall, uptime: other.uptime) == nil
    }

    /// Now, on the machine's clocks.
    static var now: StateStamp {
        StateStamp(wall: KernelClock.realtime, boot: boot, uptime: KernelClock.boottime)
    }

    /// A service that is kept from most of /proc is told by its unit.
    private static let boot: String? = {
        if let id = ProcessInfo.processInfo.environment["OKAERI_BOOT_ID"], !id.isEmpty { return plain(id) }
        let id = try? FileDescriptor.contents(of: "/proc/sys/kernel/random/boot_id", limit: 64)
        return id.map { plain(String(decoding: $0, as: UTF8.self)) }
    }()

    /// The kernel's spelling of it and systemd's differ in the hyphens.
    static func plain(_ id: String) -> String { id.filter(\.isHexDigit) }
}
