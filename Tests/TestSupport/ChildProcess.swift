import Dispatch
package import Foundation
import Glibc
import Synchronization

/// A program that a test starts.
///
/// It inherits the three standard streams and nothing else. With Foundation's `Process` a child also inherits the
/// pipes and sockets of children that other tests start at the same moment: a test that reads to the end of its pipe, or waits for
/// its child, then waits for the children of the others, too, and those end only when their tests get a thread of the pool.
///
/// Sendable: what is set before the start is not changed after it; the end is behind a lock.
package final class ChildProcess: @unchecked Sendable {
    package struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    package enum TerminationReason {
        case exit
        case uncaughtSignal
    }

    package var executableURL: URL?
    package var arguments: [String] = []
    /// `nil`: those of the test runner.
    package var environment: [String: String]?
    package var currentDirectoryURL: URL?
    /// A `Pipe` or a `FileHandle`; `nil`: the stream of the test runner.
    package var standardInput: AnyObject?
    package var standardOutput: AnyObject?
    package var standardError: AnyObject?

    package private(set) var processIdentifier: pid_t = 0
    private let end = Mutex<(reason: TerminationReason, status: Int32)?>(nil)
    private let running = DispatchGroup()

    package init() {}

    /// Starts the program. The test's copy of the child's end of each pipe is closed.
    package func run() throws {
        guard let path = executableURL?.path else { throw Failure(description: "no program is named") }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var passed: [FileHandle] = []
        for (number, stream) in [standardInput, standardOutput, standardError].enumerated() {
            guard let stream else { continue }
            guard let handle = Self.childsEnd(of: stream, isInput: number == 0) else {
                throw Failure(description: "a stream is a Pipe or a FileHandle")
            }
            if stream is Pipe { passed.append(handle) }
            posix_spawn_file_actions_adddup2(&actions, handle.fileDescriptor, Int32(number))
        }
        // Glibc's module lacks closefrom; numbers that are not open are skipped.
        for number in 3..<min(Int32(clamping: sysconf(Int32(_SC_OPEN_MAX))), 4096) {
            posix_spawn_file_actions_addclose(&actions, number)
        }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (blocked, ignored) = (sigset_t(), sigset_t())
        sigemptyset(&blocked)
        sigfillset(&ignored)
        posix_spawnattr_setsigmask(&attributes, &blocked)
        posix_spawnattr_setsigdefault(&attributes, &ignored)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        let variables = environment ?? ProcessInfo.processInfo.environment
        // env changes the folder, and becomes the program.
        let enter = currentDirectoryURL.map { ["/usr/bin/env", "--chdir=\($0.path)"] } ?? []
        let command = enter + [path] + arguments
        let code = Self.withCStrings(command) { arguments in
            Self.withCStrings(variables.map { "\($0)=\($1)" }) { variables in
                posix_spawn(&processIdentifier, command[0], &actions, &attributes, arguments, variables)
            }
        }
        guard code == 0 else { throw Failure(description: "\(path): \(String(cString: strerror(code)))") }
        collect()
        for handle in Set(passed) { try handle.close() }
    }

    /// Whether the program has not ended yet.
    package var isRunning: Bool { processIdentifier != 0 && end.withLock { $0 == nil } }

    /// Blocks until the program has ended.
    package func waitUntilExit() { running.wait() }

    /// Kills the program and waits until it has ended. SIGTERM would not do: a program may ignore it.
    package func killAndWait() {
        guard isRunning else { return }
        kill(processIdentifier, SIGKILL)
        waitUntilExit()
    }

    package func terminate() {
        if isRunning { kill(processIdentifier, SIGTERM) }
    }

    /// The exit status, or the number of the signal. Blocks until the program has ended.
    package var terminationStatus: Int32 {
        waitUntilExit()
        return end.withLock { $0?.status ?? -1 }
    }

    package var terminationReason: TerminationReason {
        waitUntilExit()
        return end.withLock { $0?.reason ?? .exit }
    }

    /// Collects the exit status as soon as the program has ended.
    ///
    /// Swift Testing waits for its exit tests by `waitid` of any child, which returns the same child again until that one is
    /// collected: with a child that nothing collects, no exit test ends.
    private func collect() {
        running.enter()
        Thread.detachNewThread { [self] in
            var status: Int32 = 0
            while waitpid(processIdentifier, &status, 0) < 0, errno == EINTR {}
            let signal = status & 0x7F
            end.withLock { $0 = signal == 0 ? (.exit, status >> 8 & 0xFF) : (.uncaughtSignal, signal) }
            running.leave()
        }
    }

    private static func childsEnd(of stream: AnyObject, isInput: Bool) -> FileHandle? {
        guard let pipe = stream as? Pipe else { return stream as? FileHandle }
        return isInput ? pipe.fileHandleForReading : pipe.fileHandleForWriting
    }

    private static func withCStrings<Result>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }
}
