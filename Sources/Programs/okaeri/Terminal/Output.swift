import Glibc
import Synchronization
import SystemPackage

/// Standard output. All text of the program goes through it, and the end of the program checks ``problem``: a command that has
/// lost a part of its output ends with the exit status 74.
enum Output {
    /// The first error. Later text would leave a gap and is not written.
    private static let failure = Mutex<Errno?>(nil)

    /// Opens the null device in the place of a standard stream that is closed. Otherwise the next file or socket would get its
    /// number, and receive the output. The null device of standard output cannot be written, so that the loss is an error.
    static func reserveStreams() {
        for (descriptor, mode) in [(STDIN_FILENO, O_RDONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_WRONLY)]
        where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number is this one, because the earlier ones are open.
            _ = open("/dev/null", mode)
        }
    }

    /// Writes a text at once. The lock is free meanwhile: a reader that stands still must not delay the end of the program.
    static func write(_ text: String) throws(Errno) {
        if let known = failure.withLock(\.self) { throw known }
        do throws(Errno) {
            try FileDescriptor.standardOutput.writeWaiting(Array(text.utf8))
        } catch {
            failure.withLock { $0 = $0 ?? error }
            throw error
        }
    }

    /// The reason why a part of the output is lost; `nil` if all of it is written, or its reader has ended (`EPIPE`), as `head`
    /// does. A file system of the network reports an error only when a descriptor is closed.
    static var problem: Errno? {
        failure.withLock { failure in
            if failure == nil, case let copy = dup(STDOUT_FILENO), copy >= 0, close(copy) != 0 {
                failure = Errno(rawValue: errno)
            }
            return failure == .brokenPipe ? nil : failure
        }
    }
}

/// Prints on standard output. It hides the function of the standard library, which ignores errors.
func print(_ items: Any..., separator: String = " ", terminator: String = "\n") {
    try? Output.write(items.map { "\($0)" }.joined(separator: separator) + terminator)
}

extension FileDescriptor {
    /// Writes all bytes. A descriptor that does not block, as a terminal shared with another program may be, is waited for.
    fileprivate func writeWaiting(_ bytes: [UInt8]) throws(Errno) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(rawValue, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                var waited = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
                _ = poll(&waited, 1, -1)
            } else if errno != EINTR {
                throw Errno(rawValue: errno)
            }
        }
    }
}
