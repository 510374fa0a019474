import HCI
import IBeacon
import OkaeriPlumbing
import OkaeriRooms
import OkaeriWiFi
package import RegionMonitoring

extension Event {
    /// The event as a line for a person, beginning with the time of day in the machine's time zone.
    package var line: String { "\(LocalTime.timeOfDay(time))  \(text)" }

    /// The same without the time. Devices, access points and clients of the broker choose names in it, so it is one line
    /// without control characters.
    package var text: String { (kind.name.rawValue + (details.isEmpty ? "" : "  \(details)")).escapedName }

    private var details: String {
        switch kind {
        case .didStartMonitoring(let region), .didExitRegion(let region): region
        case .didDetermineState(let region, let state): "\(region) \(state.rawValue)"
        case .didEnterRegion(let region, let beacon): "\(region)  \(beacon.summary)"
        case .didRangeBeacons(let region, let beacons):
            "\(region)  (count \(beacons.count))\(beacons.listed)"
        case .monitoringDidFail(let region, let reason), .rangingBeaconsDidFail(let region, let reason):
            "\(region)  \(reason)"
        case .bluetoothStateDidUpdate(let update):
            [
                update.state.rawValue, update.adapter.map { "(\($0))" },
                update.reason.isEmpty ? nil : "– \(update.reason)",
            ]
            .compactMap { $0 }.joined(separator: " ")
        case .wifiPrompt(let wifi):
            "\(wifi.tag)\((wifi.situation?.action ?? .join).rawValue) \"\(wifi.ssid)\"?"
                + (wifi.situation.map { "  (\($0.rawValue))" } ?? "")
        case .wifiPromptAnswered(let wifi, let answer): "\(wifi.tag)\"\(wifi.ssid)\": \(answer.rawValue)"
        case .wifiPromptWithdrawn(let wifi, let code): "\(wifi.tag)\"\(wifi.ssid)\": \(code)"
        case .wifiJoined(let wifi, let device): "\(wifi.tag)\"\(wifi.ssid)\"" + (device.map { " on \($0)" } ?? "")
        case .wifiActionCompleted(let wifi, let action, let device):
            "\(wifi.tag)\"\(wifi.ssid)\": \(action.rawValue)" + (device.map { " on \($0)" } ?? "")
        case .wifiActionFailed(let wifi, let action, let code, let reason):
            "\(wifi.tag)\"\(wifi.ssid)\": \(action.rawValue): \(code) – \(reason)"
        case .wifiJoinFailed(let wifi, let code, let reason), .wifiUnavailable(let wifi, let code, let reason),
            .wifiAccessLimited(let wifi, let code, let reason):
            "\(wifi.tag)\"\(wifi.ssid)\": \(code) – \(reason)"
        case .peripheralDidConnect(let peripheral): peripheral.text
        case .peripheralDidDisconnect(let peripheral, let reason):
            peripheral.text + (reason.map { " – \($0)" } ?? "")
        case .peripheralDidFailToConnect(let peripheral, let reason): "\(peripheral.text) – \(reason)"
        case .house(let region, let house): "house  \(region)" + (house.details.isEmpty ? "" : " \(house.details)")
        }
    }
}

extension [RangedBeacon] {
    /// The maximum number of beacons in a line. Any device can advertise as many as it likes.
    private static let listedLimit = 8

    /// Each beacon after two spaces, the nearest first; of many the number of the others.
    fileprivate var listed: String {
        let others = count - Self.listedLimit
        return prefix(Self.listedLimit).map { "  \($0.summary)" }.joined(separator: ",")
            + (others > 0 ? ", and \(others) more" : "")
    }
}

extension Event.House {
    fileprivate var details: String {
        switch self {
        case .didDetermineState(let state): state.rawValue
        case .didEnterRegion(let room, _): room ?? ""
        case .didExitRegion: ""
        case .didDetermineRoom(let room): room ?? "in no room"
        }
    }
}

extension Event.Peripheral {
    fileprivate var text: String {
        [identifier, service, address, name].compactMap { $0 }.joined(separator: "  ")
    }
}

extension Event.WiFi {
    /// `[1] `, the number that the prompt is answered by.
    fileprivate var tag: String { id.map { "[\($0)] " } ?? "" }
}

extension RangedBeacon {
    /// `major 100 minor 100  -78 dBm  2.1 m  near`, or `phone  -78 dBm  ? m  unknown`.
    package var summary: String {
        let distance = accuracy < 0 ? "? m" : "\((accuracy * 10).rounded() / 10) m"
        let signal = rssi == 0 ? "? dBm" : "\(rssi) dBm"
        let name = identity.isPhone ? "phone" : "major \(identity.major) minor \(identity.minor)"
        return "\(name)  \(signal)  \(distance)  \(proximity.rawValue)"
    }
}
