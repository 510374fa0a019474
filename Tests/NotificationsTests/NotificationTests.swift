import FoundationEssentials
import HCI
import OkaeriDaemonTestSupport
import OkaeriRooms
import OkaeriTestSupport
import OkaeriWiFi
import RegionMonitoring
import Testing

@testable import OkaeriAutomation
@testable import OkaeriConfiguration
@testable import OkaeriEvents

/// The events that servers are notified of, and the content of the requests.
@Suite struct NotificationTests {
    private static let prompt = Event.Kind.wifiPrompt(.init(id: "1", ssid: "Home\u{202E}Net", region: "home"))
    private static let answers = AnswerAddresses(join: "https://pi/answer/1", notNow: "https://pi/answer/2")

    private func notification(_ kind: Event.Kind, _ regions: [Configuration.Region] = [region()]) -> Notification? {
        Notification(Event(time: evening, node: "pi", sequence: 4, kind: kind), regions: regions)
    }

    private func ntfy(
        _ kind: Event.Kind, _ language: Language = .english, _ answers: AnswerAddresses? = nil
    ) throws -> Topic {
        let target = try target(.ntfy, "https://ntfy.sh/topic")
        let body = try #require(notification(kind)).body(for: target, language, answers)
        return try JSONDecoder().decode(Topic.self, from: Data(body))
    }

    private struct Topic: Decodable, Equatable {
        struct Action: Decodable, Equatable {
            var action, label, url, method: String
            var clear: Bool
        }
        var topic, title, message: String
        var tags: [String]
        var actions: [Action]?
    }

    @Test func `an arrival, a departure and a prompt are notifications, other events are not`() {
        #expect(notification(enter)?.occasion == .enter)
        #expect(notification(.didExitRegion(region: "home"))?.occasion == .exit)
        #expect(notification(Self.prompt)?.occasion == .prompt)
        #expect(notification(.didDetermineState(region: "home", .inside)) == nil)
        #expect(notification(.didExitRegion(region: "elsewhere")) == nil)
        #expect(notification(.wifiPrompt(.init(id: nil, ssid: "x", region: nil))) == nil)
    }

    @Test func `a fault of Bluetooth names the machine and the remedy, whatever regions a server has`() throws {
        let fault = AdapterUpdate(state: .poweredOff, adapter: "hci0", reason: "hci0 is switched off; switch it on")
        let event = Event(time: evening, node: "pi", sequence: 4, kind: .bluetoothStateDidUpdate(fault))
        let notification = Notification(fault, event)
        var target = try target(.ntfy, "https://ntfy.sh/topic", regions: ["home"])
        #expect(notification.isFor(target))
        let topic = try JSONDecoder().decode(Topic.self, from: Data(notification.body(for: target, .english, nil)))
        #expect(topic.title == "pi: Bluetooth does not work" && topic.tags == ["warning"])
        #expect(topic.message.hasSuffix(". No beacon is received, because hci0 is switched off; switch it on"))
        let japanese = try JSONDecoder().decode(Topic.self, from: Data(notification.body(for: target, .japanese, nil)))
        #expect(japanese.title == "pi：Bluetooth が使えません")
        target.kind = .webhook
        let body = String(decoding: notification.body(for: target, .english, nil), as: UTF8.self)
        #expect(body.contains(#""event":"bluetoothStateDidUpdate","state":"poweredOff""#))
        target.occasions = [.enter]
        #expect(!notification.isFor(target))
    }

    @Test func `a house notifies once, by its owner`() {
        let house = { (isOwner: Bool) in
            Event.Kind.house(region: "home", .didEnterRegion(room: "hall", isOwner: isOwner))
        }
        let regions = [region(scope: .house)]
        #expect(notification(house(true), regions)?.room == "hall")
        #expect(notification(house(false), regions) == nil)
        #expect(notification(enter, regions) == nil)
        #expect(notification(house(true)) == nil)
    }

    @Test func `a server is notified of its events and its regions alone`() throws {
        var some = try target(.webhook, "http://a/", regions: ["shed"])
        let arrival = try #require(notification(enter))
        #expect(!arrival.isFor(some))
        some.regions = ["shed", "home"]
        #expect(arrival.isFor(some))
        some.occasions = [.exit]
        #expect(!arrival.isFor(some))
    }

    @Test func `a webhook receives the event as the event stream has it`() throws {
        let hook = try target(.webhook, "http://a/")
        let arrival = try #require(notification(enter))
        #expect(String(decoding: arrival.body(for: hook, .english, nil), as: UTF8.self) == arrival.event.json)
        let prompt = try #require(notification(Self.prompt))
        let text = String(decoding: prompt.body(for: hook, .english, Self.answers), as: UTF8.self)
        #expect(
            text.hasSuffix(
                #""node":"pi","seq":4,"answers":{"join":"https://pi/answer/1","notNow":"https://pi/answer/2"}}"#))
        #expect(throws: Never.self) { try JSONDecoder().decode(Event.self, from: Data(text.utf8)) }
    }

    @Test func `a topic of ntfy receives a sentence, and buttons for a prompt`() throws {
        let arrival = try ntfy(enter)
        #expect(arrival.topic == "topic" && arrival.title == "home: entered" && arrival.actions == nil)
        #expect(arrival.message == LocalTime.clock(evening))
        let prompt = try ntfy(Self.prompt, .english, Self.answers)
        #expect(prompt.title == "Join the Wi-Fi “Home\u{FFFD}Net” on pi?")
        #expect(
            prompt.actions == [
                .init(action: "http", label: "Join", url: "https://pi/answer/1", method: "POST", clear: true),
                .init(action: "http", label: "Not now", url: "https://pi/answer/2", method: "POST", clear: true),
            ])
    }

    @Test func `the result of a join names the machine, and says what to do`() throws {
        let wifi = Event.WiFi(id: nil, ssid: "HomeNet", region: "home")
        #expect(try ntfy(.wifiJoined(wifi, device: "wlan0")).title == "pi is connected to “HomeNet”")
        let failure = Event.Kind.wifiJoinFailed(wifi, code: "noAddress", reason: "check that its DHCP server runs")
        let failed = try ntfy(failure)
        #expect(
            failed.title == "pi could not join “HomeNet”"
                && failed.message.hasSuffix(". check that its DHCP server runs"))
        #expect(try ntfy(failure, .japanese).message.hasSuffix("DHCP サーバーを確認してください"))
        var selected = try target(.ntfy, "https://a/topic")
        selected.occasions = [.wifi]
        let joined = try #require(notification(.wifiJoined(wifi, device: nil)))
        #expect(joined.isFor(selected) && notification(enter)?.isFor(selected) == false)
    }

    @Test func `the message of a prompt names its circumstances`() throws {
        let wifi = Event.WiFi(id: "1", ssid: "HomeNet", region: "home", situation: .ethernet)
        #expect(try ntfy(.wifiPrompt(wifi)).message.contains(". This machine is connected by Ethernet. To answer"))
        #expect(try ntfy(.wifiPrompt(wifi), .japanese).message.contains("。この機器は有線 LAN で接続されています。回答"))
    }

    @Test func `a prompt without links names the command`() throws {
        let prompt = try ntfy(Self.prompt)
        #expect(prompt.actions == nil && prompt.message.contains("okaeri answer 1 join"))
    }

    @Test func `the sentences exist in Japanese`() throws {
        #expect(try ntfy(enter, .japanese).title == "home：入りました")
        #expect(try ntfy(.didExitRegion(region: "home"), .japanese).title == "home：出ました")
        let prompt = try ntfy(Self.prompt, .japanese, Self.answers)
        #expect(prompt.title.hasSuffix("に接続しますか？") && prompt.actions?.map(\.label) == ["接続する", "あとで"])
        #expect(try ntfy(Self.prompt, .japanese).message.contains("okaeri answer 1 join を実行"))
    }
}
