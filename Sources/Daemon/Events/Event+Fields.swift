package import HCI
import IBeacon
import OkaeriPlumbing
import OkaeriRooms
import OkaeriWiFi
import RegionMonitoring

extension Event {
    /// All fields of the event, in the order in which people read them.
    package var fields: [EventField] {
        [EventField("time", .text(Timestamp.text(time))), EventField("event", .text(kind.name.rawValue))]
            + kind.fields
            + (node.isEmpty ? [] : [EventField("node", .text(node)), EventField("seq", .integer(Int(sequence)))])
    }

    /// The event as one JSON object on one line.
    package var json: String { fields.json }

    /// The region it is about, if it is about one.
    package var region: String? { kind.fields.first { $0.name == "region" }?.plain }
}

extension Event.Kind {
    /// The fields beside its time and name. This is the one place that takes an event apart.
    package var fields: [EventField] {
        switch self {
        case .didStartMonitoring(let region): Self.region(region)
        case .didDetermineState(let region, let state): Self.region(region, state)
        case .didEnterRegion(let region, let beacon):
            Self.region(region, .inside) + [EventField("beacon", .object(beacon.fields))]
        case .didExitRegion(let region): Self.region(region, .outside)
        case .didRangeBeacons(let region, let beacons):
            Self.region(region) + [EventField("beacons", .list(beacons.map(\.fields)))]
        case .monitoringDidFail(let region, let reason), .rangingBeaconsDidFail(let region, let reason):
            Self.region(region) + [EventField("reason", .text(reason))]
        case .bluetoothStateDidUpdate(let update): update.fields
        case .wifiPrompt(let wifi): wifi.fields
        case .wifiPromptAnswered(let wifi, let answer): wifi.fields + EventField.text("answer", answer.rawValue)
        case .wifiPromptWithdrawn(let wifi, let code): wifi.fields + EventField.text("code", code)
        case .wifiJoined(let wifi, let device): wifi.fields + EventField.text("device", device)
        case .wifiActionCompleted(let wifi, let action, let device):
            wifi.fields + EventField.text("action", action.rawValue) + EventField.text("device", device)
        case .wifiActionFailed(let wifi, let action, let code, let reason):
            wifi.fields + EventField.text("action", action.rawValue) + EventField.text("code", code)
                + EventField.text("reason", reason)
        case .wifiJoinFailed(let wifi, let code, let reason), .wifiUnavailable(let wifi, let code, let reason),
            .wifiAccessLimited(let wifi, let code, let reason):
            wifi.fields + EventField.text("code", code) + EventField.text("reason", reason)
        case .peripheralDidConnect(let peripheral): peripheral.fields
        case .peripheralDidDisconnect(let peripheral, let reason):
            peripheral.fields + EventField.text("reason", reason)
        case .peripheralDidFailToConnect(let peripheral, let reason):
            peripheral.fields + EventField.text("reason", reason)
        case .house(let region, let house):
            EventField.text("region", region) + house.fields + EventField.text("scope", Event.House.scope)
        }
    }

    private static func region(_ identifier: String, _ state: RegionState? = nil) -> [EventField] {
        EventField.text("region", identifier) + EventField.text("state", state?.rawValue)
    }
}

extension Event.House {
    /// The value of the field that distinguishes an event of the house from a node's.
    static let scope = "house"

    fileprivate var fields: [EventField] {
        switch self {
        case .didDetermineState(let state): EventField.text("state", state.rawValue)
        case .didEnterRegion(let room, let isOwner):
            EventField.text("state", RegionState.inside.rawValue) + EventField.text("room", room)
                + [EventField("owner", .flag(isOwner))]
        case .didExitRegion(let isOwner):
            EventField.text("state", RegionState.outside.rawValue) + [EventField("owner", .flag(isOwner))]
        case .didDetermineRoom(let room): [EventField("room", room.map(EventField.Value.text) ?? .null)]
        }
    }
}

extension AdapterUpdate {
    /// The code of the cause; `nil` for one without a name.
    var code: String? { cause == .other ? nil : cause.rawValue }

    /// The state, the adapter, the code of the cause, and the reason.
    package var fields: [EventField] {
        EventField.text("state", state.rawValue) + EventField.text("adapter", adapter)
            + EventField.text("code", code) + EventField.text("reason", reason)
    }
}

extension Event.WiFi {
    fileprivate var fields: [EventField] {
        EventField.text("id", id) + EventField.text("ssid", ssid) + EventField.text("region", region)
            + EventField.text("situation", situation?.rawValue)
    }
}

extension Event.Peripheral {
    fileprivate var fields: [EventField] {
        EventField.text("identifier", identifier) + EventField.text("service", service)
            + EventField.text("address", address) + EventField.text("name", name)
    }
}

extension RangedBeacon {
    fileprivate var fields: [EventField] { EventField.beacon(identity, rssi: rssi, accuracy: accuracy) }
}

extension Double {
    /// Metres to the centimetre: more would be noise.
    package var metres: Double { (self * 100).rounded() / 100 }
}
