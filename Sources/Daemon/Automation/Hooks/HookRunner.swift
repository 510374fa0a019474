import Glibc
import OkaeriEvents
import Subprocess
import SystemPackage

/// Runs a hook: no shell, a process group of its own, the event on standard input.
///
/// Subprocess does what is easily done wrong: it waits by a pidfd and reaps, closes all descriptors but three, resets
/// the signals, and ends a group by TERM and KILL.
package struct HookRunner: Sendable {
    /// The time limits.
    struct Limits: Sendable {
        /// A hook, from start to end.
        var time = Duration.seconds(10)
        /// The time between TERM and KILL.
        var grace = Duration.seconds(2)
        /// The same when the daemon stops, which is to be over within two seconds.
        var graceAtStop = Duration.seconds(1)
    }

    /// The stream of a line.
    package enum Stream: Sendable {
        case output, errors
    }

    private let socket: String
    private let limits: Limits

    /// - Parameter socket: The daemon's socket.
    package init(socket: String) { self.init(socket: socket, limits: Limits()) }

    init(socket: String, limits: Limits) {
        self.socket = socket
        self.limits = limits
        // A hook need not read its standard input. One that hangs up must not kill the daemon.
        signal(SIGPIPE, SIG_IGN)
    }

    /// Runs a hook to its end. Cancelled, it ends the hook.
    ///
    /// - Parameter log: is given each line that the hook writes.
    func run(_ hook: Hook, log: @escaping @Sendable (Stream, String) -> Void) async throws(HookFailure) {
        let program = hook.command[0]
        do {
            let result = try await Subprocess.run(
                program.contains("/") ? .path(FilePath(program)) : .name(program),
                arguments: Arguments(Array(hook.command.dropFirst())), environment: environment(of: hook),
                workingDirectory: "/", platformOptions: platformOptions, input: .inputWriter, output: .sequence,
                error: .sequence
            ) { execution in
                // A task of its own: a hook that is being ended may still print, and must not find its pipes closed.
                let conversation = Task { await Self.converse(with: execution, about: hook.event, log) }
                let ending = await end(of: execution)
                // Until it is reaped the leader's number is not given away: the group is still its own.
                if ending != nil { try? execution.send(signal: .kill, toProcessGroup: true) }
                await conversation.value
                return ending
            }
            if let ending = result.closureResult { throw ending }
            try Self.judge(result.terminationStatus)
        } catch let failure as HookFailure {
            throw failure
        } catch let error as SubprocessError where error.code == .executableNotFound {
            throw HookFailure(program: program, errno: .noSuchFileOrDirectory)
        } catch let error as SubprocessError where error.code == .spawnFailed {
            throw error.underlyingError.map { HookFailure(program: program, errno: $0) }
                ?? .notStarted(reason: error.description)
        } catch {
            throw .notStarted(reason: "\(error)")
        }
    }

    private var platformOptions: PlatformOptions {
        var options = PlatformOptions()
        options.processGroupID = 0
        // When the task is cancelled.
        options.teardownSequence = [
            .send(signal: .terminate, toProcessGroup: true, allowedDurationToNextStep: limits.graceAtStop)
        ]
        return options
    }

    /// The daemon's environment and the event's, without the variables that systemd sets for the daemon alone.
    private func environment(of hook: Hook) -> Environment {
        var changes: [Environment.Key: String?] = ["NOTIFY_SOCKET": nil, "WATCHDOG_PID": nil, "WATCHDOG_USEC": nil]
        for (name, value) in hook.environment(socket: socket) {
            if let key = Environment.Key(rawValue: name) { changes[key] = value }
        }
        return .inherit.updating(changes)
    }

    private typealias Running = Execution<CustomWriteInput, SequenceOutput, SequenceOutput>

    /// Waits until the hook has ended, and ends it when its time is up or the task is cancelled.
    ///
    /// - Returns: The reason why it was ended, whatever its exit status is then; `nil` if it has ended by itself.
    private func end(of execution: Running) async -> HookFailure? {
        let ending = HookEnding(of: execution.processIdentifier.value)
        await withTaskCancellationHandler {
            // A task of its own: a cancelled one does not wait.
            let timer = Task {
                do { try await Task.sleep(for: limits.time) } catch { return }
                guard ending.begin(.timedOut(after: limits.time)) else { return }
                try? execution.send(signal: .terminate, toProcessGroup: true)
            }
            // Signal 0 does nothing: a step that only waits, and is followed by KILL.
            await execution.teardown(using: [
                .send(
                    signal: Signal(rawValue: 0), toProcessGroup: true,
                    allowedDurationToNextStep: limits.time + limits.grace)
            ])
            timer.cancel()
            await timer.value
        } onCancel: {
            // Subprocess sends TERM.
            _ = ending.begin(.stopped)
        }
        return ending.reason
    }

    private static func converse(
        with execution: Running, about event: Event, _ log: @escaping @Sendable (Stream, String) -> Void
    ) async {
        await withDiscardingTaskGroup { group in
            group.addTask {
                // A command that does not read it uses the environment, or needs no details.
                _ = try? await execution.standardInputWriter.write(event.json + "\n")
                try? await execution.standardInputWriter.finish()
            }
            group.addTask { await listen(to: execution.standardOutput) { log(.output, $0) } }
            group.addTask { await listen(to: execution.standardError) { log(.errors, $0) } }
        }
    }

    private static func listen(to bytes: SubprocessOutputSequence, _ log: (String) -> Void) async {
        var output = HookOutput()
        do {
            for try await buffer in bytes {
                buffer.withUnsafeBytes { output.received($0) }.forEach(log)
            }
        } catch {
            log("its output could not be read any further: \(error)")
        }
        output.ended().forEach(log)
    }

    private static func judge(_ status: TerminationStatus) throws(HookFailure) {
        switch status {
        case .exited(0): return
        case .exited(let status): throw .exited(status: status)
        case .signaled(let signal): throw .killed(signal: signal)
        }
    }
}
