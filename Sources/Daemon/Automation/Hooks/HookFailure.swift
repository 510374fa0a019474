import Glibc
import SystemPackage

/// The reason why a hook failed: a sentence with the cause and the remedy.
enum HookFailure: Error, Sendable, Equatable, CustomStringConvertible {
    case notFound(program: String)
    case noPermission(program: String)
    case directory(program: String)
    case noInterpreter(program: String)
    case noProgram(program: String)
    case notStarted(reason: String)
    case exited(status: Int32)
    case killed(signal: Int32)
    case timedOut(after: Duration)
    case stopped

    /// The name of the cause, without its details.
    enum Cause: String, Sendable, CaseIterable {
        case notFound, noPermission, directory, noInterpreter, noProgram, notStarted, exited, killed, timedOut, stopped
    }

    var cause: Cause {
        switch self {
        case .notFound: .notFound
        case .noPermission: .noPermission
        case .directory: .directory
        case .noInterpreter: .noInterpreter
        case .noProgram: .noProgram
        case .notStarted: .notStarted
        case .exited: .exited
        case .killed: .killed
        case .timedOut: .timedOut
        case .stopped: .stopped
        }
    }

    /// - Parameters:
    ///   - program: The program that the kernel did not start.
    ///   - errno: The kernel's error.
    init(program: String, errno: Errno) {
        guard program.contains("/") else {
            self = .notFound(program: program)
            return
        }
        switch errno {
        case .noSuchFileOrDirectory, .permissionDenied, .notDirectory:
            if access(program, F_OK) != 0 {
                self = Glibc.errno == EACCES ? .noPermission(program: program) : .notFound(program: program)
            } else if access("\(program)/.", F_OK) == 0 {
                self = .directory(program: program)
            } else {
                let isExecutable = access(program, X_OK) == 0
                self = isExecutable ? .noInterpreter(program: program) : .noPermission(program: program)
            }
        case .execFormatError: self = .noProgram(program: program)
        default: self = .notStarted(reason: errno.description)
        }
    }

    var description: String {
        switch self {
        case .notFound(let program) where program.contains("/"):
            "\(program) does not exist; put it there, or correct its path in the configuration"
        case .notFound(let program):
            "no command is named \(program) in the daemon's $PATH; write its whole path into the configuration"
        case .noPermission(let program):
            "\(program) may not be executed by the daemon's user; run `chmod a+x \(program)`, or check the permissions of "
                + "its path with `namei -l \(program)`"
        case .directory(let program):
            "\(program) is a directory; name the program itself in the configuration"
        case .noInterpreter(let program):
            "the interpreter in the first line of \(program) does not exist or may not be executed; correct that "
                + "line, which must not end in CR LF"
        case .noProgram(let program):
            "\(program) is neither a program of this machine nor a script; begin a script with a line such as #!/bin/sh"
        case .notStarted(let reason):
            "it could not be started: \(reason); check whether the machine is out of memory, processes or files"
        case .exited(let status):
            "it ended with exit status \(status); its output above may show why, and 0 is the status of success"
        case .killed(SIGKILL):
            "it was killed by signal 9, by a user or for lack of memory: `journalctl -k` shows which; run what needs more "
                + "memory than the service may take (MemoryMax in its unit) as a service of its own"
        case .killed(let signal):
            "it was killed by signal \(signal), \(Self.name(of: signal)); run it by hand to see why"
        case .timedOut(let limit):
            "it took longer than \(limit / .seconds(1)) s and was ended, with all that it started; run what takes longer "
                + "as a service of its own, with `systemctl start --no-block`"
        case .stopped:
            "it was ended because the daemon stops"
        }
    }

    private static func name(of signal: Int32) -> String {
        strsignal(signal).map { String(cString: $0) } ?? "unknown"
    }
}
