import Glibc
import Plumbing

/// Somewhere instructions come from while the program runs.
struct LiveSource: ~Copyable {
    let name: String
    let descriptor: OwnedDescriptor
    private var splitter = LineSplitter()
    private(set) var isAtEnd = false

    init(name: String, owning descriptor: consuming OwnedDescriptor) {
        self.name = name
        self.descriptor = descriptor
    }

    static func standardInput() throws(SystemError) -> LiveSource {
        let number = try OwnedDescriptor.retrying("reading standard input") { fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) }
        return LiveSource(name: "standard input", owning: OwnedDescriptor(owning: number))
    }

    /// A FIFO, which is created when it is missing.
    static func control(_ path: String) throws(SystemError) -> LiveSource {
        do throws(SystemError) {
            _ = try OwnedDescriptor.retrying("creating the FIFO \(path)") { mkfifo(path, 0o600) }
        } catch  where error.code == EEXIST {
            // It may be from an earlier run, or another program's: it only has to be a pipe.
        }
        // Open for writing too, so that it does not end when the last writer closes it.
        let descriptor = try OwnedDescriptor(opening: path, O_RDWR | O_NONBLOCK)
        var status = stat()
        _ = try OwnedDescriptor.retrying("reading the state of \(path)") { fstat(descriptor.number, &status) }
        guard status.st_mode & S_IFMT == S_IFIFO else {
            throw SystemError(
                operation: "reading instructions from \(path)", code: EINVAL,
                advice: "it is no FIFO: give --control another path, or remove what is there")
        }
        return LiveSource(name: "control", owning: descriptor)
    }

    /// The lines that have come in; `poll` has reported input, or the end.
    mutating func lines() throws(SystemError) -> [String] {
        let bytes = try descriptor.read(limit: 4096, "reading from \(name)")
        if !bytes.isEmpty { return splitter.take(bytes) }
        isAtEnd = true
        return splitter.finish().map { [$0] } ?? []
    }
}
