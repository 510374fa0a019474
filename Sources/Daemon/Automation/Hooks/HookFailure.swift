import Glibc
import OkaeriPlumbing
import SystemPackage

/// The reason why a hook failed: a cause, and a sentence with the remedy.
struct HookFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The name of the cause, without its details.
    enum Cause: String, Sendable, CaseIterable {
        case notFound, noPermission, directory, noInterpreter, noProgram, notStarted, exited, killed, timedOut, stopped
    }

    let cause: Cause
    let description: String

    private init(_ cause: Cause, _ description: String) {
        self.cause = cause
        self.description = description
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

    static func notFound(program: String) -> Self {
        Self(
            .notFound,
            program.contains("/")
                ? "\(program) does not exist; put it there, or correct its path in the configuration"
                : "no command is named \(program) in the daemon's $PATH; write its whole path into the configuration")
    }

    static func noPermission(program: String) -> Self {
        Self(
            .noPermission,
            "\(program) may not be executed by the daemon's user; run `chmod a+x \(program)`, or check the permissions of "
                + "its path with `namei -l \(program)`")
    }

    static func directory(program: String) -> Self {
        Self(.directory, "\(program) is a directory; name the program itself in the configuration")
    }

    static func noInterpreter(program: String) -> Self {
        Self(
            .noInterpreter,
            "the interpreter in the first line of \(program) does not exist or may not be executed; correct that "
                + "line, which must not end in CR LF")
    }

    static func noProgram(program: String) -> Self {
        Self(
            .noProgram,
            "\(program) is neither a program of this machine nor a script; begin a script with a line such as #!/bin/sh"
        )
    }

    static func notStarted(reason: String) -> Self {
        Self(
            .notStarted,
            "it could not be started: \(reason); check whether the machine is out of memory, processes or files")
    }

    static func exited(status: Int32) -> Self {
        Self(
            .exited,
            "it ended with exit status \(status); its output above may show why, and 0 is the status of success")
    }

    static func killed(signal: Int32) -> Self {
        let name = strsignal(signal).map { String(cString: $0) } ?? "unknown"
        return Self(
            .killed,
            signal == SIGKILL
                ? "it was killed by signal 9, by a user or for lack of memory: \(Installation.words("`journalctl -k`", or: "the log of the kernel")) shows which; run what needs more "
                    + "memory "
                    + Installation.words(
                        "than the service may take (MemoryMax in its unit) as a service of its own",
                        or: "outside the hook")
                : "it was killed by signal \(signal), \(name); run it by hand to see why")
    }

    static func timedOut(after limit: Duration) -> Self {
        Self(
            .timedOut,
            "it took longer than \(limit / .seconds(1)) s and was ended, with all that it started; run what takes longer "
                + Installation.words(
                    "as a service of its own, with `systemctl start --no-block`", or: "outside the hook"))
    }

    static let stopped = Self(.stopped, "it was ended because the daemon stops")
}
