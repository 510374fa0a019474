import FoundationEssentials
import IBeacon
import RegionMonitoring

extension Event {
    /// The event as one JSON object on one line.
    public var json: String { object.text }

    private var object: JSONObject {
        var object = JSONObject()
        object.add("time", Timestamp.text(time))
        object.add("event", kind.name)
        switch kind {
        case .didStartMonitoring(let region):
            object.add("region", region)
        case .didDetermineState(let region, let state):
            object.add("region", region)
            object.add("state", state.rawValue)
        case .didEnterRegion(let region, let beacon):
            object.add("region", region)
            object.add("state", RegionState.inside.rawValue)
            object.add("beacon", JSONObject(beacon))
        case .didExitRegion(let region):
            object.add("region", region)
            object.add("state", RegionState.outside.rawValue)
        case .didRangeBeacons(let region, let beacons):
            object.add("region", region)
            object.add("beacons", beacons.map(JSONObject.init))
        case .monitoringDidFail(let region, let reason), .rangingBeaconsDidFail(let region, let reason):
            object.add("region", region)
            object.add("reason", reason)
        case .bluetoothStateDidUpdate(let state, let adapter, let reason):
            object.add("state", state)
            object.add("adapter", adapter)
            object.add("reason", reason)
        case .wifiPrompt(let wifi):
            object.add(wifi)
        case .wifiPromptAnswered(let wifi, let answer):
            object.add(wifi)
            object.add("answer", answer)
        case .wifiJoined(let wifi, let device):
            object.add(wifi)
            object.add("device", device)
        case .wifiJoinFailed(let wifi, let code, let reason):
            object.add(wifi)
            object.add("code", code)
            object.add("reason", reason)
        case .peripheralDidConnect(let peripheral), .peripheralDidDisconnect(let peripheral):
            object.add("identifier", peripheral.identifier)
            object.add("service", peripheral.service)
            object.add("address", peripheral.address)
            object.add("name", peripheral.name)
        }
        return object
    }
}

extension JSONObject {
    init(_ beacon: RangedBeacon) {
        self.init()
        add("uuid", beacon.identity.uuid.description)
        add("major", beacon.identity.major)
        add("minor", beacon.identity.minor)
        add("rssi", beacon.rssi)
        add("accuracy", beacon.accuracy.metres)
        add("proximity", beacon.proximity.rawValue)
    }

    fileprivate mutating func add(_ wifi: Event.WiFiEvent) {
        add("id", wifi.id)
        add("ssid", wifi.ssid)
        add("region", wifi.region)
    }
}

extension Double {
    /// Metres to the centimetre: more would be noise.
    var metres: Double { (self * 100).rounded() / 100 }
}

/// Points in time as text.
enum Timestamp {
    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    /// RFC 3339, UTC, milliseconds, from nanoseconds since the Unix epoch.
    static func text(_ nanoseconds: Int64) -> String {
        // Whole milliseconds, rounded down: a time must not lie after what it stamps.
        let milliseconds = nanoseconds / million - (nanoseconds % million < 0 ? 1 : 0)
        // The formatter rounds down as well, and a Double may lie below the number it stands for.
        return Date(timeIntervalSince1970: (Double(milliseconds) + 0.2) / 1000).formatted(style)
    }

    private static let million: Int64 = 1_000_000

    /// The time of day, `07:31:09.412`, UTC.
    static func timeOfDay(_ nanoseconds: Int64) -> String {
        String(text(nanoseconds).dropFirst(11).dropLast())
    }
}
