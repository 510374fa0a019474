package import OkaeriWiFi

/// The number of events since the start, by their fields.
package struct EventTally: Sendable, Equatable {
    private struct Key: Hashable {
        var name: Event.Kind.Name
        var isOfHouse: Bool
    }

    private var events: [Key: UInt64] = [:]
    private var answers: [PromptAnswer: UInt64] = [:]
    private var failures: [String: UInt64] = [:]

    package init() {}

    package mutating func count(_ kind: Event.Kind) {
        var key = Key(name: kind.name, isOfHouse: false)
        switch kind {
        case .house: key.isOfHouse = true
        case .wifiPromptAnswered(_, let answer): answers[answer, default: 0] += 1
        case .wifiJoinFailed(_, let code, _): failures[code, default: 0] += 1
        case .didStartMonitoring, .didDetermineState, .didEnterRegion, .didExitRegion, .didRangeBeacons,
            .monitoringDidFail, .rangingBeaconsDidFail, .bluetoothStateDidUpdate, .wifiPrompt, .wifiPromptWithdrawn,
            .wifiJoined, .wifiActionCompleted, .wifiActionFailed, .wifiUnavailable, .wifiAccessLimited,
            .peripheralDidConnect, .peripheralDidDisconnect, .peripheralDidFailToConnect:
            break
        }
        events[key, default: 0] += 1
    }

    /// Returns the number of events with that name.
    ///
    /// - Parameter isOfHouse: whether those of the whole house are meant, or this node's own.
    package func events(_ name: Event.Kind.Name, isOfHouse: Bool = false) -> UInt64 {
        events[Key(name: name, isOfHouse: isOfHouse)] ?? 0
    }

    /// Returns the number of prompts with that answer.
    package func answers(_ answer: PromptAnswer) -> UInt64 { answers[answer] ?? 0 }

    /// Returns the number of joins that failed with that code.
    package func joinFailures(_ code: String) -> UInt64 { failures[code] ?? 0 }
}

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
