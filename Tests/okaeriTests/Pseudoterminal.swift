import Foundation
import OkaeriTestSupport

/// A terminal without a person (pty(7)): what a program shows on it is read here, and what is typed is written here.
final class Pseudoterminal {
    struct Failure: Error {
        let call: String
        let code = errno
    }

    private var primary: Int32 = -1

    /// The end for a program; the test closes it after the start.
    let replica: FileHandle

    /// All that was shown so far. A terminal ends a line by a return and a line feed.
    private(set) var text = ""

    init() throws {
        var descriptor: Int32 = -1
        guard openpty(&primary, &descriptor, nil, nil, nil) == 0 else { throw Failure(call: "openpty") }
        replica = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        for end in [primary, descriptor] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    deinit { close(primary) }

    func type(_ text: String) throws {
        guard write(primary, text, text.utf8.count) == text.utf8.count else { throw Failure(call: "write") }
    }

    /// Reads until it is so, looking after each thing that is shown and ten times a second.
    ///
    /// - Returns: false when the program has let go of the terminal before, or when the time was up.
    @discardableResult
    func read(within seconds: Double = 60, until isSo: (String) -> Bool) -> Bool {
        let deadline = ContinuousClock.now + .seconds(seconds)
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !isSo(text) {
            guard .now < deadline else { return false }
            var readiness = pollfd(fd: primary, events: Int16(POLLIN), revents: 0)
            guard poll(&readiness, 1, 100) > 0 else { continue }
            let count = Glibc.read(primary, &buffer, buffer.count)
            // EIO: the other end is closed.
            guard count > 0 else { return isSo(text) }
            text += String(decoding: buffer[..<count], as: UTF8.self)
        }
        return true
    }

    /// Reads to the end of the program, which is killed if that does not come.
    func end(of process: ChildProcess, within seconds: Double = 60) {
        let deadline = ContinuousClock.now + .seconds(seconds)
        read(within: seconds) { _ in false }
        if process.isRunning, .now >= deadline { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }
}
