/// The number of commands that were run for events since the start, and the number that wait.
package struct HookTally: Sendable, Equatable {
    /// The number of runs, by the key of the configuration that names the command: `onEnter` …
    package var runs: [String: UInt64]
    /// The number of failures, by the name of the cause: `exited`, `timedOut` …
    package var failures: [String: UInt64]
    /// The number of commands that were never run, because others took too long.
    package var dropped: UInt64 = 0
    package var running = 0
    package var waiting = 0

    /// - Parameters:
    ///   - keys: all keys that there are.
    ///   - causes: The names of all causes.
    package init(keys: [String] = [], causes: [String] = []) {
        runs = Dictionary(keys.map { ($0, 0) }) { first, _ in first }
        failures = Dictionary(causes.map { ($0, 0) }) { first, _ in first }
    }
}
