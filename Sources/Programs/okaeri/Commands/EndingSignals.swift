import Glibc
import OkaeriPlumbing
import OkaeriSetup
import UnixSignals

/// The signals that end a step which blocks, so that it leaves no unfinished file.
struct EndingSignals: Sendable {
    let interruption = Interruption()
    private let watch: Task<Void, Never>

    private static let numbers = [SIGINT, SIGTERM, SIGHUP]

    /// Begins to catch the signals. A second one ends the process at once: a disk or a pipe may hang.
    init() async {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup)
        watch = Task { [interruption] in
            for await _ in signals {
                interruption.request()
                for number in Self.numbers { signal(number, SIG_DFL) }
            }
        }
    }

    /// Ignores the signals from now on. Returns `false` if one came before.
    func ignore() async -> Bool {
        watch.cancel()
        await watch.value
        for number in Self.numbers { signal(number, SIG_IGN) }
        return !interruption.isRequested
    }
}

/// Runs what waits for the disk on a thread of its own, shows the step on a terminal, and ends the command if it fails.
func blocking<Value: Sendable>(
    _ step: String, _ body: @escaping @Sendable () throws(BackupFailure) -> Value
) async throws -> Value {
    do throws(BackupFailure) {
        return try await WaitingLine.during(step) { () async throws(BackupFailure) in
            try await BlockingThread.run(
                { BackupFailure(.io, BlockingThread.StartError(code: $0).description) }, body)
        }
    } catch {
        throw CommandFailure(error)
    }
}
