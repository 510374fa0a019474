import Glibc
import OkaeriPlumbing
import OkaeriTestSupport

/// A bus that accepts connections and never sends anything.
final class SilentBus: Sendable {
    private let folder: TemporaryFolder
    private let descriptor: Int32

    var address: String { "unix:path=\(path)" }

    private var path: String { "\(folder.path)/bus" }

    init?() {
        guard let folder = try? TemporaryFolder() else { return nil }
        self.folder = folder
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var bound = sockaddr_un()
        bound.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &bound.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &bound) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        if result != 0 || listen(descriptor, 1) != 0 { return nil }
    }

    deinit { close(descriptor) }

    /// Waits for a connection.
    ///
    /// On a thread of its own: it blocks, and a machine may have one thread for all tasks.
    func accept() async -> Int32 {
        await withCheckedContinuation { continuation in
            let accept = { @Sendable [descriptor] in continuation.resume(returning: Glibc.accept(descriptor, nil, nil))
            }
            if (try? BlockingThread.start(accept)) == nil { continuation.resume(returning: -1) }
        }
    }
}
