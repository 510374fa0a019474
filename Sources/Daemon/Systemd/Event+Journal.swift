package import Events
import Plumbing

extension Event {
    /// The names of the fields in the journal, if they differ.
    private static let journalNames = ["id": "PROMPT"]

    /// Writes the event into the journal, with what one may look for as fields: `journalctl REGION=home`.
    ///
    /// - Returns: whether the journal has it.
    package func write(to journal: Journal) -> Bool {
        journal.write(
            text, priority: priority,
            fields: fields.flat.dropFirst().compactMap { field in
                field.plain.map { .init(Self.journalNames[field.name] ?? field.name, $0) }
            })
    }

    private var priority: Journal.Priority {
        switch kind.name {
        case .didStartMonitoring, .didDetermineState, .bluetoothStateDidUpdate, .didDetermineRoom: .info
        case .didEnterRegion, .didExitRegion, .wifiPrompt, .wifiPromptAnswered, .wifiPromptWithdrawn, .wifiJoined,
            .wifiActionCompleted,
            .peripheralDidConnect,
            .peripheralDidDisconnect:
            .notice
        case .monitoringDidFail, .rangingBeaconsDidFail, .wifiJoinFailed, .wifiActionFailed, .wifiUnavailable,
            .wifiAccessLimited:
            .warning
        case .didRangeBeacons: .debug
        }
    }
}
