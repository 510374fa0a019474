import HCI
import OkaeriEvents
import OkaeriPlumbing

/// The state of the daemon in one sentence, as `systemctl status` shows it: `watching 2 regions; Bluetooth hci0
/// listening`.
///
/// All users with a login may read it, so it contains no region's state, and an arrival does not change it.
struct StatusSentence: Sendable {
    private var regions: Set<String> = []
    private var bluetooth = "Bluetooth not asked yet"

    /// A further remark; `nil` if all is as it should be.
    var remark: String?

    mutating func happened(_ event: Event) {
        switch event.kind {
        case .didStartMonitoring(let name):
            regions.insert(name)
        case .bluetoothStateDidUpdate(let update):
            if update.state == .poweredOn, let adapter = update.adapter {
                bluetooth = "Bluetooth \(adapter) listening"
            } else {
                bluetooth = "Bluetooth \(update.state.rawValue)" + (update.reason.isEmpty ? "" : ": \(update.reason)")
            }
        case .didDetermineState, .didEnterRegion, .didExitRegion, .didRangeBeacons, .monitoringDidFail,
            .rangingBeaconsDidFail, .wifiPrompt, .wifiPromptAnswered, .wifiPromptWithdrawn, .wifiJoined,
            .wifiJoinFailed, .wifiActionCompleted, .wifiActionFailed, .wifiUnavailable, .wifiAccessLimited,
            .peripheralDidConnect, .peripheralDidDisconnect, .peripheralDidFailToConnect,
            .house:
            break
        }
    }

    /// Forgets the regions that are watched no longer.
    mutating func keep(_ names: Set<String>) {
        regions.formIntersection(names)
    }

    var text: String {
        let watching = regions.isEmpty ? [] : ["watching \(quantity(regions.count, "region"))"]
        return (watching + [bluetooth] + (remark.map { [$0] } ?? [])).joined(separator: "; ")
    }
}
