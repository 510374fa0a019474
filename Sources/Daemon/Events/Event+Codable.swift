import HCI
import IBeacon
import OkaeriRooms
import OkaeriWiFi
import RegionMonitoring

/// Encoded as its ``fields``, and decoded from them.
extension Event: Codable {
    fileprivate enum Key: String, CodingKey {
        case time, event, region, state, beacon, beacons, reason, adapter, id, ssid, answer, device, code, identifier,
            service, address, name, node, seq, scope, room, owner, situation, action
    }

    package func encode(to encoder: any Encoder) throws {
        try fields.encode(to: encoder)
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Key.self)
        let text = try members.decode(String.self, forKey: .time)
        guard let time = Timestamp.nanoseconds(text) else {
            throw DecodingError.dataCorruptedError(
                forKey: .time, in: members, debugDescription: "\(text) is not a time of RFC 3339")
        }
        // A daemon from before there were nodes wrote neither.
        let sequence = try members.decodeIfPresent(UInt64.self, forKey: .seq) ?? 0
        guard sequence <= Self.largestSequence else {
            throw DecodingError.dataCorruptedError(
                forKey: .seq, in: members, debugDescription: "\(sequence) is not a number of an event")
        }
        self.init(
            time: time, node: try members.decodeIfPresent(String.self, forKey: .node) ?? "", sequence: sequence,
            kind: try Kind(members))
    }
}

extension Event.Kind {
    fileprivate init(_ members: KeyedDecodingContainer<Event.Key>) throws {
        func text(_ key: Event.Key) throws -> String { try members.decode(String.self, forKey: key) }
        func optional(_ key: Event.Key) throws -> String? { try members.decodeIfPresent(String.self, forKey: key) }
        func wifi() throws -> Event.WiFi {
            Event.WiFi(
                id: try optional(.id), ssid: try text(.ssid), region: try optional(.region),
                situation: try optional(.situation).flatMap(PromptSituation.init))
        }
        func action() throws -> NetworkAction {
            let name = try text(.action)
            guard let action = NetworkAction(rawValue: name) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .action, in: members, debugDescription: "another version's action")
            }
            return action
        }
        func peripheral() throws -> Event.Peripheral {
            Event.Peripheral(
                identifier: try optional(.identifier), service: try text(.service), address: try text(.address),
                name: try optional(.name))
        }
        if let scope = try optional(.scope) {
            self = .house(region: try text(.region), try Event.House(members, scope: scope))
            return
        }
        self =
            switch try members.decode(Name.self, forKey: .event) {
            case .didStartMonitoring: .didStartMonitoring(region: try text(.region))
            case .didDetermineState:
                .didDetermineState(region: try text(.region), try members.decode(RegionState.self, forKey: .state))
            case .didEnterRegion:
                .didEnterRegion(
                    region: try text(.region), try members.decode(RangedBeacon.Members.self, forKey: .beacon).beacon)
            case .didExitRegion: .didExitRegion(region: try text(.region))
            case .didRangeBeacons:
                .didRangeBeacons(
                    region: try text(.region),
                    try members.decode([RangedBeacon.Members].self, forKey: .beacons).map { try $0.beacon })
            case .monitoringDidFail: .monitoringDidFail(region: try text(.region), reason: try text(.reason))
            case .rangingBeaconsDidFail: .rangingBeaconsDidFail(region: try text(.region), reason: try text(.reason))
            case .bluetoothStateDidUpdate:
                .bluetoothStateDidUpdate(
                    AdapterUpdate(
                        state: try members.decode(BluetoothState.self, forKey: .state),
                        adapter: try optional(.adapter),
                        // A later version may have other causes.
                        cause: try optional(.code).flatMap(AdapterUpdate.Cause.init) ?? .other,
                        reason: try text(.reason)))
            case .wifiPrompt: .wifiPrompt(try wifi())
            case .wifiPromptAnswered:
                .wifiPromptAnswered(try wifi(), answer: try members.decode(PromptAnswer.self, forKey: .answer))
            case .wifiPromptWithdrawn: .wifiPromptWithdrawn(try wifi(), code: try text(.code))
            case .wifiJoined: .wifiJoined(try wifi(), device: try optional(.device))
            case .wifiJoinFailed: .wifiJoinFailed(try wifi(), code: try text(.code), reason: try text(.reason))
            case .wifiActionCompleted:
                .wifiActionCompleted(try wifi(), action: try action(), device: try optional(.device))
            case .wifiActionFailed:
                .wifiActionFailed(
                    try wifi(), action: try action(), code: try text(.code), reason: try text(.reason))
            case .wifiUnavailable: .wifiUnavailable(try wifi(), code: try text(.code), reason: try text(.reason))
            case .wifiAccessLimited: .wifiAccessLimited(try wifi(), code: try text(.code), reason: try text(.reason))
            case .peripheralDidConnect: .peripheralDidConnect(try peripheral())
            case .peripheralDidDisconnect: .peripheralDidDisconnect(try peripheral(), reason: try optional(.reason))
            case .peripheralDidFailToConnect:
                .peripheralDidFailToConnect(try peripheral(), reason: try text(.reason))
            case .didDetermineRoom:
                throw DecodingError.dataCorruptedError(
                    forKey: .event, in: members, debugDescription: "a room is determined by a house, not by a node")
            }
    }
}

extension Event.House {
    fileprivate init(_ members: KeyedDecodingContainer<Event.Key>, scope: String) throws {
        let name = try members.decode(Event.Kind.Name.self, forKey: .event)
        let room = try members.decodeIfPresent(String.self, forKey: .room)
        let isOwner = try members.decodeIfPresent(Bool.self, forKey: .owner) ?? false
        switch name {
        case .didDetermineState where scope == Self.scope:
            self = .didDetermineState(try members.decode(RegionState.self, forKey: .state))
        case .didEnterRegion where scope == Self.scope: self = .didEnterRegion(room: room, isOwner: isOwner)
        case .didExitRegion where scope == Self.scope: self = .didExitRegion(isOwner: isOwner)
        case .didDetermineRoom where scope == Self.scope: self = .didDetermineRoom(room)
        default:
            throw DecodingError.dataCorruptedError(
                forKey: .scope, in: members, debugDescription: "\(scope) has no \(name.rawValue)")
        }
    }
}

extension Event.Kind.Name: Codable {}
extension RegionState: Codable {}

extension RangedBeacon {
    fileprivate struct Members: Decodable {
        var uuid: String
        var major: UInt16
        var minor: UInt16
        var rssi: Int
        var accuracy: Double

        var beacon: RangedBeacon {
            get throws {
                guard let uuid = BeaconUUID(uuid) else {
                    throw DecodingError.dataCorrupted(
                        .init(codingPath: [], debugDescription: "\(uuid) is not a UUID of a beacon"))
                }
                return RangedBeacon(
                    identity: BeaconIdentity(uuid: uuid, major: major, minor: minor), rssi: rssi, accuracy: accuracy)
            }
        }
    }
}

extension [EventField] {
    private struct Name: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }

        init?(intValue: Int) { nil }
    }

    fileprivate func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Name.self)
        for field in self { try members.encode(field.value, forKey: Name(stringValue: field.name)) }
    }
}

extension EventField.Value: Encodable {
    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .object(let fields): try fields.encode(to: encoder)
        case .list(let objects):
            var list = encoder.unkeyedContainer()
            for fields in objects { try list.encode(Self.object(fields)) }
        case .values(let values):
            var list = encoder.unkeyedContainer()
            for value in values { try list.encode(value) }
        case .text(let text): try Self.encode(text, to: encoder)
        case .integer(let number): try Self.encode(number, to: encoder)
        case .number(let number): try Self.encode(number, to: encoder)
        case .flag(let flag): try Self.encode(flag, to: encoder)
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        }
    }

    private static func encode(_ value: some Encodable, to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}
