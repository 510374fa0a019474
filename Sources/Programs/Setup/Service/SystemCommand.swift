import OkaeriPlumbing
import Subprocess
import SystemPackage

/// Runs a command of this machine, such as `systemctl`, without a shell and within a limit of time.
package struct SystemCommand: Sendable {
    /// The result of a command.
    package struct Outcome: Sendable, Equatable {
        /// The exit status; `nil` if the command was not found, was killed, or took too long.
        package var status: Int32?
        package var output: String
        /// The last line of standard error, or the reason why there is no exit status.
        package var complaint: String

        package init(status: Int32?, output: String = "", complaint: String = "") {
            self.status = status
            self.output = output
            self.complaint = complaint
        }

        package var succeeded: Bool { status == 0 }
    }

    /// Longer than systemd waits for the start of a service, which is 90 s.
    private static let limit = Duration.seconds(120)
    /// The output that is read; a command with more fails.
    private static let outputLimit = 64 << 10

    /// The folders of the system's programs alone, and messages in English.
    private static let environment = Environment.custom([
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8",
        "SYSTEMD_COLORS": "0",
    ])

    let run: @Sendable ([String]) async -> Outcome

    /// Runs commands of this machine.
    package init() {
        self.init { await Self.execute($0) }
    }

    /// - Parameter run: Runs the command with this name and these arguments.
    package init(_ run: @escaping @Sendable ([String]) async -> Outcome) {
        self.run = run
    }

    package func callAsFunction(_ command: String...) async -> Outcome { await run(command) }

    private static func execute(_ command: [String]) async -> Outcome {
        await withTaskGroup(of: Outcome?.self) { group in
            group.addTask { await started(command) }
            group.addTask {
                try? await Task.sleep(for: limit)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first ?? Outcome(status: nil, complaint: "it did not end within \(Int(limit / .seconds(1))) s")
        }
    }

    private static func started(_ command: [String]) async -> Outcome {
        guard let program = command.first else { return Outcome(status: nil, complaint: "no command") }
        var options = PlatformOptions()
        // Ctrl-C is for this program, which ends after the command.
        options.processGroupID = 0
        options.teardownSequence = [.send(signal: .terminate, allowedDurationToNextStep: .seconds(2))]
        do {
            let result = try await Subprocess.run(
                .name(program), arguments: Arguments(Array(command.dropFirst())), environment: environment,
                workingDirectory: "/", platformOptions: options, output: .string(limit: outputLimit),
                error: .string(limit: outputLimit))
            let complaint = result.standardError.split(whereSeparator: \.isNewline).last.map(String.init) ?? ""
            switch result.terminationStatus {
            case .exited(let status):
                return Outcome(
                    status: status, output: result.standardOutput,
                    complaint: complaint.plain(replacesFormat: true))
            case .signaled(let signal): return Outcome(status: nil, complaint: "it was killed by signal \(signal)")
            }
        } catch let error as SubprocessError where error.code == .executableNotFound {
            return Outcome(status: nil, complaint: "\(program) is not installed")
        } catch {
            return Outcome(status: nil, complaint: "\(error)".plain(replacesFormat: true))
        }
    }
}
