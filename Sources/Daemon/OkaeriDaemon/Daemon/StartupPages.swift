import FoundationEssentials
import Glibc
import OkaeriPlumbing
import ServiceLifecycle

/// Gives the code that only the start needed back to the machine, once. It stays in the page cache, and comes back by
/// itself if it is needed after all.
struct StartupPages: Service {
    /// The time by which the adapter, NetworkManager and the socket have been found.
    private static let startIsOver = Duration.seconds(10)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            guard await Self.startIsOver.elapsed() else { return }
            Self.release()
        }
        try await gracefulShutdown()
    }

    /// Code alone: it is as it is in its file. Other mappings may hold what exists in memory only.
    static func release() {
        guard let data = FileManager.default.contents(atPath: "/proc/self/maps") else { return }
        for mapping in String(decoding: data, as: UTF8.self).split(separator: "\n") {
            guard let (start, count) = codeMapping(mapping) else { continue }
            madvise(UnsafeMutableRawPointer(bitPattern: start), count, MADV_DONTNEED)
        }
    }

    /// Returns the code mapping in a line of /proc/PID/maps (proc_pid_maps(5)): its start and its length in bytes.
    static func codeMapping(_ line: some StringProtocol) -> (start: UInt, count: Int)? {
        let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
        guard fields.count == 6, fields[1] == "r-xp", fields[5].drop(while: { $0 == " " }).first == "/" else {
            return nil
        }
        let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
        guard bounds.count == 2, bounds[0] < bounds[1] else { return nil }
        return (bounds[0], Int(bounds[1] - bounds[0]))
    }
}
