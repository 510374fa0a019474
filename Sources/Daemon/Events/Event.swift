package import HCI
package import OkaeriRooms
package import OkaeriWiFi
package import RegionMonitoring

/// An event as all consumers receive it: standard output, the event stream, the history, hooks.
package struct Event: Sendable, Equatable {
    /// The time on the wall clock: nanoseconds since the Unix epoch. In a replay it is the capture's clock.
    package var time: Int64

    /// The name of this machine's node.
    package var node: String

    /// The number of the event at this node: a gap in the numbers is a missed event.
    package var sequence: UInt64

    /// The largest number that every reader of JSON has exactly (RFC 7493, 2.2). No node gets so far.
    package static let largestSequence: UInt64 = 1 << 53 - 1

    /// The kind of event.
    package var kind: Kind

    package init(time: Int64, node: String = "", sequence: UInt64 = 0, kind: Kind) {
        self.time = time
        self.node = node
        self.sequence = sequence
        self.kind = kind
    }

    /// The kind of event, with the terms of CoreLocation's and CoreBluetooth.
    package enum Kind: Sendable, Equatable {
        case didStartMonitoring(region: String)
        case didDetermineState(region: String, RegionState)
        case didEnterRegion(region: String, RangedBeacon)
        case didExitRegion(region: String)
        case didRangeBeacons(region: String, [RangedBeacon])
        case monitoringDidFail(region: String, reason: String)
        case rangingBeaconsDidFail(region: String, reason: String)
        case bluetoothStateDidUpdate(AdapterUpdate)
        case wifiPrompt(WiFi)
        case wifiPromptAnswered(WiFi, answer: PromptAnswer)
        /// A prompt that does not wait any more, without an answer.
        case wifiPromptWithdrawn(WiFi, code: String)
        case wifiJoined(WiFi, device: String?)
        case wifiJoinFailed(WiFi, code: String, reason: String)
        /// Another action than a join of an arrival or a departure.
        case wifiActionCompleted(WiFi, action: NetworkAction, device: String?)
        case wifiActionFailed(WiFi, action: NetworkAction, code: String, reason: String)
        /// A network that an arrival cannot offer now; nothing was tried.
        case wifiUnavailable(WiFi, code: String, reason: String)
        /// A network was joined that does not reach the Internet, or not without a login.
        case wifiAccessLimited(WiFi, code: String, reason: String)
        case peripheralDidConnect(Peripheral)
        /// The reason is the end of a sentence; `nil` if bluetoothd gives none.
        case peripheralDidDisconnect(Peripheral, reason: String?)
        /// It was received, and could not be connected: once for each reason until it is connected.
        case peripheralDidFailToConnect(Peripheral, reason: String)
        /// The agreement of the house's nodes on a region. Its name is that of the same event of one node, its scope is
        /// the house: a kind of its own, so that the two are not confused.
        case house(region: String, House)
    }

    /// News of the whole house.
    package typealias House = HouseNews

    /// The common fields of all events of a prompt and its join.
    package struct WiFi: Sendable, Equatable {
        /// The prompt's number, to answer it by; nil when there was no question.
        package var id: String?
        package var ssid: String
        /// The region that was entered.
        package var region: String?
        /// The circumstance that a prompt names.
        package var situation: PromptSituation?
        /// Its name in the event stream.
        package var situationName: String? { situation?.rawValue }

        package init(id: String?, ssid: String, region: String?, situation: PromptSituation? = nil) {
            self.id = id
            self.ssid = ssid
            self.region = region
            self.situation = situation
        }
    }

    /// The fields of a peripheral that is kept connected because of a service.
    package struct Peripheral: Sendable, Equatable {
        /// The rule's name in the configuration, if it has one.
        package var identifier: String?
        /// The service's UUID.
        package var service: String
        package var address: String
        /// As it calls itself.
        package var name: String?

        package init(identifier: String?, service: String, address: String, name: String?) {
            self.identifier = identifier
            self.service = service
            self.address = address
            self.name = name
        }

        /// The name that distinguishes its rule from the others.
        package var label: String { identifier ?? service }
    }
}

extension Event.Kind {
    /// The names in the event stream.
    package enum Name: String, Sendable, CaseIterable {
        case didStartMonitoring, didDetermineState, didEnterRegion, didExitRegion, didRangeBeacons, monitoringDidFail,
            rangingBeaconsDidFail, bluetoothStateDidUpdate, wifiPrompt, wifiPromptAnswered, wifiPromptWithdrawn,
            wifiJoined, wifiJoinFailed, wifiActionCompleted, wifiActionFailed, wifiUnavailable, wifiAccessLimited,
            peripheralDidConnect, peripheralDidDisconnect, peripheralDidFailToConnect, didDetermineRoom
    }

    package var name: Name {
        switch self {
        case .didStartMonitoring: .didStartMonitoring
        case .didDetermineState: .didDetermineState
        case .didEnterRegion: .didEnterRegion
        case .didExitRegion: .didExitRegion
        case .didRangeBeacons: .didRangeBeacons
        case .monitoringDidFail: .monitoringDidFail
        case .rangingBeaconsDidFail: .rangingBeaconsDidFail
        case .bluetoothStateDidUpdate: .bluetoothStateDidUpdate
        case .wifiPrompt: .wifiPrompt
        case .wifiPromptAnswered: .wifiPromptAnswered
        case .wifiPromptWithdrawn: .wifiPromptWithdrawn
        case .wifiJoined: .wifiJoined
        case .wifiJoinFailed: .wifiJoinFailed
        case .wifiActionCompleted: .wifiActionCompleted
        case .wifiActionFailed: .wifiActionFailed
        case .wifiUnavailable: .wifiUnavailable
        case .wifiAccessLimited: .wifiAccessLimited
        case .peripheralDidConnect: .peripheralDidConnect
        case .peripheralDidDisconnect: .peripheralDidDisconnect
        case .peripheralDidFailToConnect: .peripheralDidFailToConnect
        case .house(_, .didDetermineState): .didDetermineState
        case .house(_, .didEnterRegion): .didEnterRegion
        case .house(_, .didExitRegion): .didExitRegion
        case .house(_, .didDetermineRoom): .didDetermineRoom
        }
    }

    /// The event of a region monitor's action.
    ///
    /// - Parameter reason: The reason why ranging fails, if it does: the monitor records only that the scan stopped.
    /// - Returns: `nil` for an action that is not an event.
    package init?(_ action: RegionMonitor.Action, reason: String) {
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
