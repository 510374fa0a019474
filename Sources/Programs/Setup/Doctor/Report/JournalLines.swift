import Glibc
import OkaeriConfiguration
import OkaeriEvents
import OkaeriPlumbing

/// An entry of the service's journal.
struct JournalLine: Sendable {
    var time: String
    var message: String
    /// The names in its fields.
    var names: [KnownName] = []

    private static let kinds = [
        "REGION": "region", "NODE": "node", "SSID": "ssid", "ROOM": "room", "NAME": "name", "IDENTIFIER": "device",
    ]

    /// The fields of an event whose values are words of Okaeri.
    private static let plainFields = [
        "STATE", "SCOPE", "CODE", "ANSWER", "ACTION", "SITUATION", "ADAPTER", "PROXIMITY",
    ]

    /// Parses a line of `journalctl -o json`; `nil` for one of a hook, which may have any content, and for any other text.
    init?(_ line: some StringProtocol) {
        guard let node = try? JSONNode(json: Array(line.utf8), file: "the journal"),
            case .object(let members) = node.value
        else { return nil }
        func text(_ name: String) -> String? { node[name]?.value.string }
        guard let message = text("MESSAGE"), text("_COMM") == "okaeri" || text("_PID") == "1", text("HOOK") == nil
        else { return nil }
        let stamp = text("__REALTIME_TIMESTAMP").flatMap { Int64($0) } ?? 0
        time = LocalTime.text(stamp &* 1000)
        names = members.compactMap { member in
            guard let kind = Self.kinds[member.key], let value = member.node.value.string, !value.isEmpty else {
                return nil
            }
            return KnownName(value, kind)
        }
        guard let event = text("EVENT") else {
            self.message = message
            return
        }
        // The message has the names without quotation marks. They are not escaped, because they are known.
        let words = [event] + Self.plainFields.compactMap(text)
        let values = names.map { "\"\($0.text)\"" }
        self.message = (words + values + [text("REASON")].compactMap(\.self)).joined(separator: " ")
    }

    /// The number of entries that are read, and the limits of their size in bytes and of the time for it in seconds.
    private static let (count, limit, patience) = (300, 1 << 20, 10)

    /// Returns the latest entries of the unit; empty if there are none for this user. Blocking.
    static func recent(unit: String = "okaeri") -> [JournalLine] {
        let arguments = [
            "/usr/bin/journalctl", "--unit=\(unit)", "--lines=\(count)", "--output=json", "--no-pager", "--quiet",
        ]
        let text = String(decoding: output(of: arguments), as: UTF8.self)
        return text.split(separator: "\n").compactMap { JournalLine($0) }
    }

    private static func output(of arguments: [String]) -> [UInt8] {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return [] }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let reading = OwnedDescriptor(owning: ends[0])
        let process = spawn(arguments, output: ends[1])
        close(ends[1])
        guard let process else { return [] }
        let end = Glibc.time(nil) + patience
        var (bytes, chunk) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
        while bytes.count < limit {
            var descriptor = pollfd(fd: reading.number, events: Int16(POLLIN), revents: 0)
            guard poll(&descriptor, 1, Int32(max(0, end - Glibc.time(nil)) * 1000)) > 0 else { break }
            let read = Glibc.read(reading.number, &chunk, chunk.count)
            guard read > 0 else { break }
            bytes += chunk[..<read]
        }
        // It may still write, or hang.
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
        return bytes
    }

    private static func spawn(_ arguments: [String], output: Int32) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        let vector: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        let environment: [UnsafeMutablePointer<CChar>?] = [strdup("LC_ALL=C"), nil]
        defer { for text in vector + environment { free(text) } }
        var process = pid_t()
        return posix_spawn(&process, arguments[0], &actions, nil, vector, environment) == 0 ? process : nil
    }
}
