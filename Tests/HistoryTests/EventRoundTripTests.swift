import FoundationEssentials
import HCI
import IBeacon
import OkaeriRooms
import OkaeriTestSupport
import OkaeriWiFi
import RegionMonitoring
import Testing

@testable import OkaeriEvents
@testable import OkaeriHistory

/// Every event there is goes through every form it is put into, and nothing of it is lost.
@Suite struct EventRoundTripTests {
    private static let words = ["home", "gå \"rden\", x", "a\nb\u{2028}\u{0}", "家 ☃", "", "{\"}", "-1", "\r\n"]

    /// An event of each kind, with whatever text and numbers.
    private func events(_ generator: inout SeededGenerator) -> [Event] {
        func word() -> String { Self.words.randomElement(using: &generator) ?? "" }
        func maybe() -> String? { Bool.random(using: &generator) ? word() : nil }
        func beacon() -> RangedBeacon {
            let identity = BeaconIdentity(
                uuid: BeaconUUID(high: .random(in: 0 ... .max, using: &generator), low: 7),
                major: .random(in: 0 ... .max, using: &generator), minor: .random(in: 0 ... .max, using: &generator))
            return RangedBeacon(
                identity: identity, rssi: .random(in: -127...20, using: &generator),
                accuracy: Double(Int.random(in: -100...100_000, using: &generator)) / 100)
        }
        func wifi() -> Event.WiFi {
            .init(
                id: maybe(), ssid: word(), region: maybe(),
                situation: Bool.random(using: &generator)
                    ? nil : PromptSituation.allCases.randomElement(using: &generator))
        }
        func peripheral() -> Event.Peripheral {
            .init(identifier: maybe(), service: word(), address: word(), name: maybe())
        }
        let state = RegionState.allCases.randomElement(using: &generator) ?? .unknown
        let bluetooth = BluetoothState.allCases.randomElement(using: &generator) ?? .unknown
        let kinds: [Event.Kind] = [
            .didStartMonitoring(region: word()), .didDetermineState(region: word(), state),
            .didEnterRegion(region: word(), beacon()), .didExitRegion(region: word()),
            .didRangeBeacons(region: word(), (0..<3).map { _ in beacon() }),
            .monitoringDidFail(region: word(), reason: word()), .rangingBeaconsDidFail(region: word(), reason: word()),
            .bluetoothStateDidUpdate(.init(state: bluetooth, adapter: maybe(), reason: word())), .wifiPrompt(wifi()),
            .wifiPromptAnswered(wifi(), answer: .later), .wifiPromptWithdrawn(wifi(), code: word()),
            .wifiJoined(wifi(), device: maybe()),
            .wifiJoinFailed(wifi(), code: word(), reason: word()),
            .wifiActionCompleted(wifi(), action: .hotspotOff, device: maybe()),
            .wifiActionFailed(wifi(), action: .radioOn, code: word(), reason: word()),
            .wifiUnavailable(wifi(), code: word(), reason: word()),
            .wifiAccessLimited(wifi(), code: word(), reason: word()), .peripheralDidConnect(peripheral()),
            .peripheralDidDisconnect(peripheral(), reason: maybe()),
            .peripheralDidFailToConnect(peripheral(), reason: word()),
            .house(region: word(), .didDetermineState(state)),
            .house(region: word(), .didEnterRegion(room: maybe(), isOwner: .random(using: &generator))),
            .house(region: word(), .didExitRegion(isOwner: .random(using: &generator))),
            .house(region: word(), .didDetermineRoom(maybe())),
        ]
        return kinds.enumerated().map { index, kind in
            Event(time: evening + Int64(index) * 1_000_000, node: "pi", sequence: UInt64(index + 1), kind: kind)
        }
    }

    @Test(arguments: 0..<20) func `nothing is lost on the way through JSON and the history`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let events = events(&generator)
        #expect(Set(events.map(\.kind.name)) == Set(Event.Kind.Name.allCases), "one of each")
        for event in events {
            let text = Data(event.json.utf8)
            #expect(!event.json.contains { $0 == "\n" })
            #expect(try JSONDecoder().decode(Event.self, from: text) == event)
            // The encoder's own text has other spaces and another order.
            #expect(try JSONDecoder().decode(Event.self, from: JSONEncoder().encode(event)) == event)
            guard let kept = HistoryEvent(event) else {
                #expect(event.kind.name == .didRangeBeacons)
                continue
            }
            #expect(kept.time == event.time && kept.region == event.region)
            let scope = if case .house = event.kind { "house." } else { "" }
            #expect(kept.name == scope + event.kind.name.rawValue)
            let record = RecordedEvent(kept)
            let columns = RecordedEvent.header.split(separator: ",").map(String.init)
            let row = cells(record.csv)
            #expect(row.count == columns.count)
            for field in event.fields.flat {
                let column = try #require(columns.firstIndex(of: field.name), "\(field.name) has no column")
                #expect(row[column] == cells(RecordedEvent.cell(field))[0])
            }
            #expect(record.line.hasSuffix(event.text))
        }
    }

    /// A row of RFC 4180, taken apart.
    private func cells(_ row: String) -> [String] {
        var cells: [String] = [""]
        var isQuoted = false
        var scalars = row.unicodeScalars.makeIterator()
        var next = scalars.next()
        while let scalar = next {
            next = scalars.next()
            switch (scalar, isQuoted) {
            case ("\"", true) where next == "\"":
                cells[cells.count - 1].unicodeScalars.append("\"")
                next = scalars.next()
            case ("\"", _): isQuoted.toggle()
            case (",", false): cells.append("")
            default: cells[cells.count - 1].unicodeScalars.append(scalar)
            }
        }
        return cells
    }
}
