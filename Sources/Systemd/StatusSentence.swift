import Events
import RegionMonitoring

/// What the daemon does, in one sentence, as `systemctl status` shows it:
/// `home: inside since 21 Nov 07:31; Bluetooth hci0 listening`.
struct StatusSentence: Sendable {
    /// How many regions are named before the rest is counted.
    private static let longestList = 8

    private struct Region {
        var name: String
        var state: RegionState
        var since: Int64
    }

    /// In the order in which they were first heard of.
    private var regions: [Region] = []
    private var bluetooth = "Bluetooth not asked yet"

    /// What else there is to say; nil when all is as it should be.
    var remark: String?

    /// Whether the event is told of in the sentence.
    mutating func happened(_ event: Event) -> Bool {
        switch event.kind {
        case .didDetermineState(let name, let state):
            let region = Region(name: name, state: state, since: event.time)
            if let index = regions.firstIndex(where: { $0.name == name }) {
                regions[index] = region
            } else {
                regions.append(region)
            }
        case .bluetoothStateDidUpdate("poweredOn", let adapter?, _):
            bluetooth = "Bluetooth \(adapter) listening"
        case .bluetoothStateDidUpdate(let state, _, let reason):
            bluetooth = reason.isEmpty ? "Bluetooth \(state)" : "Bluetooth \(state): \(reason)"
        case .didStartMonitoring, .didEnterRegion, .didExitRegion, .didRangeBeacons, .monitoringDidFail,
            .rangingBeaconsDidFail, .wifiPrompt, .wifiPromptAnswered, .wifiJoined, .wifiJoinFailed,
            .peripheralDidConnect, .peripheralDidDisconnect:
            return false
        }
        return true
    }

    /// Forgets the regions that are watched no longer.
    mutating func keep(_ names: Set<String>) {
        regions.removeAll { !names.contains($0.name) }
    }

    var text: String {
        var parts = regions.prefix(Self.longestList).map { region in
            "\(region.name): \(region.state.rawValue)"
                + (region.state == .unknown ? "" : " since \(LocalTime.dayAndClock(region.since))")
        }
        if regions.count > Self.longestList { parts.append("and \(regions.count - Self.longestList) more") }
        return (parts + [bluetooth] + (remark.map { [$0] } ?? [])).joined(separator: "; ")
    }
}
