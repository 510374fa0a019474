import IBeacon
public import RegionMonitoring

/// Something that happened, as it is told to everybody: standard output, the event stream, later the history.
public struct Event: Sendable, Equatable {
    /// When, on the wall: nanoseconds since the Unix epoch. In a replay it is the capture's clock.
    public var time: Int64

    /// What.
    public var kind: Kind

    /// What happened, in CoreLocation's and CoreBluetooth's words.
    public enum Kind: Sendable, Equatable {
        case didStartMonitoring(region: String)
        case didDetermineState(region: String, RegionState)
        case didEnterRegion(region: String, RangedBeacon)
        case didExitRegion(region: String)
        case didRangeBeacons(region: String, [RangedBeacon])
        case monitoringDidFail(region: String, reason: String)
        case rangingBeaconsDidFail(region: String, reason: String)
        case bluetoothStateDidUpdate(state: String, adapter: String?, reason: String)
        case wifiPrompt(WiFiEvent)
        case wifiPromptAnswered(WiFiEvent, answer: String)
        case wifiJoined(WiFiEvent, device: String?)
        case wifiJoinFailed(WiFiEvent, code: String, reason: String)
        case peripheralDidConnect(PeripheralEvent)
        case peripheralDidDisconnect(PeripheralEvent)
    }

    /// What all events of a prompt and its join have in common.
    public struct WiFiEvent: Sendable, Equatable {
        /// The prompt's number, to answer it by; nil when there was no question.
        public var id: String?
        public var ssid: String
        /// The region that was entered.
        public var region: String?
    }

    /// What is told of a peripheral that is kept connected because of a service.
    public struct PeripheralEvent: Sendable, Equatable {
        /// The rule's name in the configuration, if it has one.
        public var identifier: String?
        /// The service's UUID.
        public var service: String
        public var address: String
        /// As it calls itself.
        public var name: String?

        /// What tells its rule from the others.
        var label: String { identifier ?? service }
    }

    public init(time: Int64, kind: Kind) {
        self.time = time
        self.kind = kind
    }
}

extension Event.Kind {
    /// The name in the event stream.
    public var name: String {
        switch self {
        case .didStartMonitoring: "didStartMonitoring"
        case .didDetermineState: "didDetermineState"
        case .didEnterRegion: "didEnterRegion"
        case .didExitRegion: "didExitRegion"
        case .didRangeBeacons: "didRangeBeacons"
        case .monitoringDidFail: "monitoringDidFail"
        case .rangingBeaconsDidFail: "rangingBeaconsDidFail"
        case .bluetoothStateDidUpdate: "bluetoothStateDidUpdate"
        case .wifiPrompt: "wifiPrompt"
        case .wifiPromptAnswered: "wifiPromptAnswered"
        case .wifiJoined: "wifiJoined"
        case .wifiJoinFailed: "wifiJoinFailed"
        case .peripheralDidConnect: "peripheralDidConnect"
        case .peripheralDidDisconnect: "peripheralDidDisconnect"
        }
    }

    /// The event that tells a region monitor's action.
    ///
    /// - Parameter reason: why ranging fails, if it does: the monitor knows only that nobody listens.
    /// - Returns: nil for what is news to nobody.
    init?(_ action: RegionMonitor.Action, reason: String) {
        switch action {
        case .didStartMonitoring(let region): self = .didStartMonitoring(region: region)
        case .didDetermineState(let region, let state): self = .didDetermineState(region: region, state)
        case .didEnterRegion(let region, let beacon): self = .didEnterRegion(region: region, beacon)
        case .didExitRegion(let region): self = .didExitRegion(region: region)
        case .didRangeBeacons(let region, let beacons): self = .didRangeBeacons(region: region, beacons)
        case .rangingBeaconsDidFail(let region): self = .rangingBeaconsDidFail(region: region, reason: reason)
        case .silenceDidEnd: return nil
        }
    }
}
