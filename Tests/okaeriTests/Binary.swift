import Foundation
import OkaeriTestSupport

/// The program as people run it: in a folder of its own, with nothing of this machine's configuration.
final class Binary {
    struct Outcome {
        var status: Int32
        var output: String
        var errors: String

        /// The output, line by line.
        var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    /// The top of the repository, where the example's configuration and the demonstration's capture are.
    static let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path
    static let capture = "\(top)/Demo/homecoming.btsnoop"

    /// The demonstration's capture and configuration, as arguments.
    var demo: [String] { [Self.capture, "--config", configuration] }

    let temporary: TemporaryFolder
    private let example: TemporaryFolder

    /// A copy of the example's configuration. A checkout may belong to another user, and root reads nothing of others.
    let configuration: String

    /// Gone with the test.
    var folder: String { temporary.path }

    /// The name of the program.
    private let name: String

    /// - Parameter name: The name of the program, which is built beside the tests.
    init(_ name: String = "okaeri") throws {
        self.name = name
        (temporary, example) = (try TemporaryFolder(), try TemporaryFolder())
        let text = try Data(contentsOf: URL(filePath: "\(Self.top)/beacons.json"))
        configuration = try example.file("beacons.json", Array(text))
    }

    /// A file in the folder.
    func file(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
        try temporary.file(name, Array(bytes))
    }

    /// Runs it to its end.
    ///
    /// - Parameters:
    ///   - input: a file to be read as standard input.
    ///   - device: The destination of standard output, in place of a pipe.
    ///   - environment: The variables beside the usual.
    func run(
        _ arguments: [String], input: String = "/dev/null", output device: String? = nil,
        environment: [String: String] = [:]
    ) throws -> Outcome {
        let process = try process(arguments, environment)
        let (output, errors) = (Pipe(), Pipe())
        process.standardInput = FileHandle(forReadingAtPath: input)
        process.standardOutput = device.flatMap { FileHandle(forWritingAtPath: $0) } ?? output
        process.standardError = errors
        try process.run()
        if device != nil { try output.fileHandleForWriting.close() }
        let text = [output, errors].map {
            String(decoding: $0.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        }
        process.waitUntilExit()
        return Outcome(status: process.terminationStatus, output: text[0], errors: text[1])
    }

    /// Runs it to its end with a closed standard output.
    func runWithoutOutput(_ arguments: [String], input: String = "/dev/null") throws -> Outcome {
        let process = try process([], [:])
        let program = process.executableURL?.path ?? ""
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", #"exec "$0" "$@" >&-"#, program] + arguments
        let errors = Pipe()
        (process.standardInput, process.standardError) = (FileHandle(forReadingAtPath: input), errors)
        try process.run()
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return Outcome(status: process.terminationStatus, output: "", errors: text)
    }

    /// Runs it to its end as a user without rights; `nil` if that user may not run it.
    func runAsNobody(_ arguments: [String], environment: [String: String] = [:]) throws -> Outcome? {
        let process = try process([], environment)
        let program = process.executableURL?.path ?? ""
        let user = ["--reuid=65534", "--regid=65534", "--clear-groups", "--"]
        process.executableURL = URL(filePath: "/usr/bin/setpriv")
        process.arguments = user + ["/bin/sh", "-c", #"test -x "$0" || exit 126; exec "$0" "$@""#, program] + arguments
        let (output, errors) = (Pipe(), Pipe())
        process.standardInput = FileHandle.nullDevice
        (process.standardOutput, process.standardError) = (output, errors)
        process.currentDirectoryURL = URL(filePath: "/")
        try process.run()
        let text = [output, errors].map {
            String(decoding: $0.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        }
        process.waitUntilExit()
        guard process.terminationStatus != 126 else { return nil }
        return Outcome(status: process.terminationStatus, output: text[0], errors: text[1])
    }

    /// Starts it on a terminal.
    func start(
        _ arguments: [String], on terminal: Pseudoterminal, environment: [String: String] = [:]
    ) throws -> ChildProcess {
        let process = try process(arguments, environment.merging(["TERM": "xterm"]) { given, _ in given })
        let end = terminal.replica
        (process.standardInput, process.standardOutput, process.standardError) = (end, end, end)
        try process.run()
        try end.close()
        return process
    }

    /// Starts it, with a file in place of standard output.
    func start(_ arguments: [String], output: String) throws -> ChildProcess {
        let process = try process(arguments, [:])
        (process.standardInput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        process.standardOutput = FileHandle(forWritingAtPath: output)
        try process.run()
        return process
    }

    private func process(_ arguments: [String], _ environment: [String: String]) throws -> ChildProcess {
        // It lies beside the test bundle, which is what runs.
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let process = ChildProcess()
        process.executableURL = URL(filePath: own).deletingLastPathComponent().appending(path: name)
        process.arguments = arguments
        process.environment = ["HOME": folder, "TZ": "UTC", "PATH": "/usr/bin:/bin"].merging(environment) { $1 }
        process.currentDirectoryURL = URL(filePath: folder)
        return process
    }
}
