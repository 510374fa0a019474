import IBeacon
import RegionMonitoring
public import Systemd

extension Event {
    /// Writes the event into the journal, with what one may look for as fields: `journalctl REGION=home`.
    ///
    /// - Returns: whether the journal has it.
    public func write(to journal: Journal) -> Bool {
        journal.write(text, priority: priority, fields: [.init("EVENT", kind.name)] + fields)
    }

    private var priority: Journal.Priority {
        switch kind {
        case .didStartMonitoring, .didDetermineState, .bluetoothStateDidUpdate: .info
        case .didEnterRegion, .didExitRegion, .wifiPrompt, .wifiPromptAnswered, .wifiJoined, .peripheralDidConnect,
            .peripheralDidDisconnect:
            .notice
        case .monitoringDidFail, .rangingBeaconsDidFail, .wifiJoinFailed: .warning
        case .didRangeBeacons: .debug
        }
    }

    private var fields: [Journal.Field] {
        switch kind {
        case .didStartMonitoring(let region), .didRangeBeacons(let region, _):
            [.init("REGION", region)]
        case .didDetermineState(let region, let state):
            [.init("REGION", region), .init("STATE", state.rawValue)]
        case .didEnterRegion(let region, let beacon):
            [
                .init("REGION", region), .init("STATE", RegionState.inside.rawValue),
                .init("BEACON", "\(beacon.identity.uuid)/\(beacon.identity.major)/\(beacon.identity.minor)"),
                .init("RSSI", "\(beacon.rssi)"),
            ]
        case .didExitRegion(let region):
            [.init("REGION", region), .init("STATE", RegionState.outside.rawValue)]
        case .monitoringDidFail(let region, let reason), .rangingBeaconsDidFail(let region, let reason):
            [.init("REGION", region), .init("REASON", reason)]
        case .bluetoothStateDidUpdate(let state, let adapter, let reason):
            [.init("STATE", state), .init("REASON", reason)] + field("ADAPTER", adapter)
        case .wifiPrompt(let wifi): fields(of: wifi)
        case .wifiPromptAnswered(let wifi, let answer): fields(of: wifi) + [.init("ANSWER", answer)]
        case .wifiJoined(let wifi, let device): fields(of: wifi) + field("DEVICE", device)
        case .wifiJoinFailed(let wifi, let code, let reason):
            fields(of: wifi) + [.init("CODE", code), .init("REASON", reason)]
        case .peripheralDidConnect(let peripheral), .peripheralDidDisconnect(let peripheral):
            [.init("SERVICE", peripheral.service), .init("ADDRESS", peripheral.address)]
                + field("IDENTIFIER", peripheral.identifier) + field("NAME", peripheral.name)
        }
    }

    private func fields(of wifi: WiFiEvent) -> [Journal.Field] {
        [.init("SSID", wifi.ssid)] + field("PROMPT", wifi.id) + field("REGION", wifi.region)
    }

    private func field(_ name: String, _ value: String?) -> [Journal.Field] {
        value.map { [.init(name, $0)] } ?? []
    }
}
