import FoundationEssentials
import HCI
import IBeacon
import OkaeriDaemonTestSupport
import OkaeriTestSupport
import OkaeriTestSupport
import OkaeriWiFi
import RegionMonitoring
import Testing

@testable import OkaeriEvents

@Suite struct EventTests {
    private let beacon = RangedBeacon(identity: home, rssi: -78, accuracy: 2.104)

    private func json(_ kind: Event.Kind) -> String {
        Event(time: evening + 412_900_000, kind: kind).json
    }

    @Test func `an enter is the object that is documented`() {
        #expect(
            json(.didEnterRegion(region: "home", beacon))
                == #"{"time":"2026-11-20T18:42:00.412Z","event":"didEnterRegion","region":"home","state":"inside","#
                + #""beacon":{"uuid":"5F1C2A8E-93B4-4D07-A6E1-7C0D52B98F34","major":100,"minor":100,"rssi":-78,"#
                + #""accuracy":2.1,"proximity":"near"}}"#)
    }

    @Test func `every event has its time, its name and what belongs to it`() {
        let wifi = Event.WiFi(id: "1", ssid: "Home\"Net", region: "home")
        let unasked = Event.WiFi(id: nil, ssid: "HomeNet", region: nil)
        let cases: [(Event.Kind, String)] = [
            (.didStartMonitoring(region: "h"), #""event":"didStartMonitoring","region":"h""#),
            (.didDetermineState(region: "h", .unknown), #""event":"didDetermineState","region":"h","state":"unknown""#),
            (.didExitRegion(region: "h"), #""event":"didExitRegion","region":"h","state":"outside""#),
            (.didRangeBeacons(region: "h", []), #""event":"didRangeBeacons","region":"h","beacons":[]"#),
            (.monitoringDidFail(region: "h", reason: "r"), #""event":"monitoringDidFail","region":"h","reason":"r""#),
            (
                .rangingBeaconsDidFail(region: "h", reason: "r"),
                #""event":"rangingBeaconsDidFail","region":"h","reason":"r""#
            ),
            (
                .bluetoothStateDidUpdate(.init(state: .poweredOff, adapter: "hci0", reason: "r")),
                #""event":"bluetoothStateDidUpdate","state":"poweredOff","adapter":"hci0","reason":"r""#
            ),
            (.wifiPrompt(wifi), #""event":"wifiPrompt","id":"1","ssid":"Home\"Net","region":"home""#),
            (
                .wifiPromptAnswered(wifi, answer: .later),
                #""event":"wifiPromptAnswered","id":"1","ssid":"Home\"Net","region":"home","answer":"later""#
            ),
            (.wifiJoined(unasked, device: "wlan0"), #""event":"wifiJoined","ssid":"HomeNet","device":"wlan0""#),
            (
                .wifiAccessLimited(unasked, code: "captivePortal", reason: "r"),
                #""event":"wifiAccessLimited","ssid":"HomeNet","code":"captivePortal","reason":"r""#
            ),
            (
                .wifiJoinFailed(unasked, code: "radioOff", reason: "r"),
                #""event":"wifiJoinFailed","ssid":"HomeNet","code":"radioOff","reason":"r""#
            ),
        ]
        for (kind, members) in cases { #expect(json(kind) == #"{"time":"2026-11-20T18:42:00.412Z",\#(members)}"#) }
    }

    @Test func `an event is one line, whatever a network calls itself`() {
        let wifi = Event.WiFi(id: "1", ssid: "a\nb\u{2028}\u{0}", region: nil)
        #expect(!json(.wifiPrompt(wifi)).contains { $0 == "\n" })
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (evening, "2026-11-20T18:42:00.000Z"),
            (evening + 999_999_999, "2026-11-20T18:42:00.999Z"), (-1, "1969-12-31T23:59:59.999Z"),
        ] as [(Int64, String)])
    func `times are RFC 3339, UTC, milliseconds, never later than what they stamp`(time: Int64, text: String) {
        #expect(Timestamp.text(time) == text)
    }

    @Test func `a time that was written is read as it was`() {
        var random = SeededGenerator(seed: 5)
        for _ in 0..<2_000 {
            // Whole milliseconds of the years 1678 to 2261.
            let time = Int64.random(in: -9_214_560_000_000...9_214_560_000_000, using: &random) * 1_000_000
            #expect(Timestamp.nanoseconds(Timestamp.text(time)) == time)
        }
    }

    @Test(arguments: [1 << 53, 1 << 63, UInt64.max])
    func `a number that no event has is not taken for one's`(number: UInt64) throws {
        func read(_ number: UInt64) throws -> Event {
            let text = #"{"time":"2026-11-20T18:42:00Z","event":"didExitRegion","region":"h","node":"n","seq":"#
            return try JSONDecoder().decode(Event.self, from: Data("\(text)\(number)}".utf8))
        }
        #expect(throws: DecodingError.self) { try read(number) }
        let last = try read(Event.largestSequence)
        #expect(last.json.hasSuffix(#""seq":9007199254740991}"#))
    }

    @Test func `a number is written as the encoder writes it`() {
        var random = SeededGenerator(seed: 3)
        let special = [0, -0.0, 1, -1, 1.5, 100, 999_999_999, 1e9, 1e-3, 9e-4, 1e22, .nan, .infinity, -2.1, 0.1 + 0.2]
        let others = (0..<2000).map { _ in Double.random(in: -1e4...1e4, using: &random) }
        for number in special + others + others.map({ ($0 * 100).rounded() / 100 }) + others.map({ $0.rounded() }) {
            #expect(JSON.number(number) == JSON.encoded(number))
        }
    }

    @Test func `times at the end of the world are text all the same`() {
        for time in [Int64.min, .max] { #expect(Timestamp.text(time).hasSuffix("Z")) }
    }

    @Test func `a line for a person has the content of a program's`() {
        let event = Event(time: evening, kind: .didEnterRegion(region: "home", beacon))
        #expect(event.line == "18:42:00.000 UTC  didEnterRegion  home  major 100 minor 100  -78 dBm  2.1 m  near")
    }

    @Test func `a line of ranging has each beacon, and of a crowd the number of the others`() {
        func text(_ count: UInt16) -> String {
            let beacons = (0..<count).map { minor in
                RangedBeacon(
                    identity: .init(uuid: home.uuid, major: 100, minor: minor), rssi: -78, accuracy: 2.104)
            }
            return Event(time: evening, kind: .didRangeBeacons(region: "home", beacons)).text
        }
        func beacon(_ minor: Int) -> String { "  major 100 minor \(minor)  -78 dBm  2.1 m  near" }
        #expect(text(0) == "didRangeBeacons  home  (count 0)")
        #expect(text(2) == "didRangeBeacons  home  (count 2)\(beacon(0)),\(beacon(1))")
        let eight = (0..<8).map(beacon).joined(separator: ",")
        #expect(text(8) == "didRangeBeacons  home  (count 8)\(eight)")
        #expect(text(10) == "didRangeBeacons  home  (count 10)\(eight), and 2 more")
    }

    @Test func `listeners get every event from their subscription on, and an end`() async {
        let hub = EventHub()
        hub.publish(Event(time: 0, kind: .didExitRegion(region: "before")))
        let streams = [hub.events(), hub.events()]
        for region in ["a", "b"] { hub.publish(Event(time: 0, kind: .didExitRegion(region: region))) }
        hub.close()
        for stream in streams {
            var heard: [String] = []
            for await event in stream { heard.append(event.line) }
            #expect(heard.map { $0.last } == ["a", "b"])
        }
        for await _ in hub.events() { Issue.record("a closed hub tells nothing") }
    }

    @Test func `a listener that does not read loses the oldest and delays no other`() async {
        let hub = EventHub()
        let slow = hub.events(backlog: 2)
        for number in 0..<5 { hub.publish(Event(time: Int64(number), kind: .didExitRegion(region: "x"))) }
        hub.close()
        var heard: [Int64] = []
        for await event in slow { heard.append(event.time) }
        #expect(heard == [3, 4])
    }

    @Test func `the hub keeps the latest events for clients that return, each kind in bounds`() {
        let hub = EventHub()
        hub.resume(after: 10)
        let crowd = [RangedBeacon](repeating: beacon, count: EventHub.backlog)
        for number in 0..<5000 {
            hub.happened(
                number.isMultiple(of: 2) ? .didExitRegion(region: "h") : .didRangeBeacons(region: "h", crowd), at: 0)
        }
        var kept: [Event] = []
        while let event = hub.next(after: kept.last?.sequence ?? 0) { kept.append(event) }
        #expect(kept.map(\.sequence) == kept.map(\.sequence).sorted() && kept.last?.sequence == 5010)
        let rangings = kept.filter { $0.kind.name == .didRangeBeacons }.count
        #expect(1...4 ~= rangings)
        #expect(EventHub.backlog...(2 * EventHub.backlog) ~= kept.count - rangings)
    }

    @Test func `a client is notified once of many events, and of the latest number at the start`() async {
        let hub = EventHub()
        hub.happened(.didExitRegion(region: "before"), at: 0)
        let (occasions, continuation) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(1))
        #expect(hub.notify(continuation, with: 7) == 1)
        for _ in 0..<3 { hub.happened(.didExitRegion(region: "h"), at: 0) }
        hub.close()
        var count = 0
        for await occasion in occasions { count += occasion }
        #expect(count == 7)
        #expect(hub.next(after: 1)?.sequence == 2 && hub.next(after: 4) == nil)
    }
}
