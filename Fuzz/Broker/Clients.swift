import HCI
import OkaeriEvents
import OkaeriMQTT
import OkaeriPresence
import RegionMonitoring

@testable import OkaeriHouse

/// The messages of other clients.
extension Program {
    private static let levels = ["keys", "x95546acdd3e8", "x0123456789ab", "car", "old"]

    mutating func publish(_ step: UInt8, _ arguments: ArraySlice<UInt8>, isRetained: Bool) {
        var rest = arguments
        switch step {
        case UInt8(ascii: "t"):
            // Delivered to a node that may not have subscribed to it.
            let parts = rest.split(separator: UInt8(ascii: " "), maxSplits: 1)
            let topic = parts.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
            let payload = parts.dropFirst().first.map(Array.init) ?? []
            isBrokerHonest = false
            site.deliver(MQTTMessage(topic: topic, payload: payload, isRetained: isRetained), to: 0)
        case UInt8(ascii: "w"):
            crowd(rest.first ?? 0, isRetained: isRetained)
        default:
            guard let topic = topic(step, &rest) else { return }
            site.publish(topic, payload(step, rest, of: topic), isRetained: isRetained)
            site.settle()
        }
    }

    private func topic(_ step: UInt8, _ rest: inout ArraySlice<UInt8>) -> String? {
        func one(of names: [String]) -> String { names[Int(rest.popFirst() ?? 0) % names.count] }
        func node(_ end: String) -> String { "\(Self.root)/node/\(one(of: Self.nodes))/\(end)" }
        func region(_ end: String) -> String { "\(Self.root)/region/\(one(of: Self.levels))\(end)" }
        switch step {
        case UInt8(ascii: "s"): return node("status")
        case UInt8(ascii: "c"): return node("about")
        case UInt8(ascii: "k"): return node("scanner")
        case UInt8(ascii: "l"): return node("heard")
        case UInt8(ascii: "p"): return node("prompt/answer")
        case UInt8(ascii: "q"): return node("prompt")
        case UInt8(ascii: "x"): return node("restart")
        case UInt8(ascii: "v"):
            // An observation of an earlier version.
            return "\(node("region"))/\(one(of: Self.levels))"
        case UInt8(ascii: "r"): return region("")
        case UInt8(ascii: "e"): return region("/event")
        case UInt8(ascii: "b"): return region("/battery")
        case UInt8(ascii: "u"): return "\(Self.root)/hub"
        case UInt8(ascii: "n"): return "\(Self.root)/wanted"
        case UInt8(ascii: "o"): return "\(Self.root)/house"
        case UInt8(ascii: "h"): return "\(Site.discovery)/status"
        case UInt8(ascii: "d"):
            let object = rest.prefix { $0 != UInt8(ascii: " ") }
            rest = rest.dropFirst(object.count)
            return "\(Site.discovery)/device/okaeri_\(Site.name)/\(String(decoding: object, as: UTF8.self))/config"
        default: return nil
        }
    }

    /// The rest of the line; a sign stands for what an honest node publishes.
    private mutating func payload(_ step: UInt8, _ rest: ArraySlice<UInt8>, of topic: String) -> [UInt8] {
        let sign = rest.first ?? 0
        let isOn = sign == UInt8(ascii: "+")
        guard rest.count <= 2, isOn || sign == UInt8(ascii: "-") || sign == UInt8(ascii: "?") else {
            return Array(rest)
        }
        let state = isOn ? "inside" : sign == UInt8(ascii: "?") ? "unknown" : "outside"
        let kind = rest.dropFirst().first ?? 0
        sequence += 1
        let text: String
        switch step {
        case UInt8(ascii: "s"): text = isOn ? "online" : "offline"
        case UInt8(ascii: "k"): text = "{\"ok\":\(isOn),\"adapter\":\"hci0\",\"reason\":null}"
        case UInt8(ascii: "c"):
            text = """
                {"kind":"\(isOn ? "receiver" : "hub")","room":"\(isOn ? "den" : "room \(kind)")",\
                "offset":\(isOn ? 0 : Int(kind) - 60),"version":"1","since":"2026-11-21T17:00:00.000Z"}
                """
        case UInt8(ascii: "l"):
            text = receptions(
                of: topic.split(separator: "/").dropFirst(3).first.map(String.init) ?? "", sign, Int(kind))
        case UInt8(ascii: "u"): text = claim(sign, Int(kind))
        case UInt8(ascii: "n"):
            text = WantedBeacons(isOn ? Member.regions.indices.map { Member.region($0).region } : []).payload
        case UInt8(ascii: "x"): text = "restart"
        case UInt8(ascii: "r"):
            let level = topic.split(separator: "/").last.map(String.init) ?? ""
            text = """
                {"state":"\(state)","room":"den","since":"2026-11-21T17:00:00.000Z","beacon":null,"last":"\(state)",\
                "name":"\(level)"}
                """
        case UInt8(ascii: "e"):
            text = """
                {"event_type":"\(isOn ? "enter" : "exit")","room":"den","time":"2026-11-21T17:00:00.000Z","id":"\(sequence)"}
                """
        default: return Array(rest)
        }
        return Array(text.utf8)
    }

    /// A claim: `+` with a smaller incarnation than those of the site's hubs, `-` with a larger one, `?` with that of a member.
    private func claim(_ sign: UInt8, _ kind: Int) -> String {
        let name = Self.nodes[kind % Self.nodes.count]
        let known = site.members[kind / 8 % Site.names.count].core.election.own.incarnation
        let incarnation = sign == UInt8(ascii: "+") ? "0" : sign == UInt8(ascii: "-") ? "z" : known
        return HubClaim(name: name, incarnation: incarnation, since: "2026-11-21T17:00:00.000Z").payload
    }

    /// A message about receptions: `+` the next one, `-` the next one of a receiver that does not send its times, `?` after a loss.
    private mutating func receptions(of node: String, _ sign: UInt8, _ kind: Int) -> String {
        numbers[node, default: 0] += sign == UInt8(ascii: "?") ? 5 : 1
        // The receiver's own clock; some messages are late.
        let end = Double(site.now / 1_000_000) / 1000 + 500 - (kind & 4 == 0 ? 0 : 3)
        let rssi = Int8(-50 - kind % 40)
        var entries = (0..<kind & 3).map { position in
            HeardMessage.Entry(
                sender: .beacon(Member.beacon(position, minor: UInt16(kind)), measuredPower: -59),
                samples: [
                    .init(rssi: rssi, age: 0.9), .init(rssi: nil, age: 0.1), .init(rssi: rssi, age: Double(kind) / 8),
                ])
        }
        if kind & 8 != 0 {
            let phone = BluetoothAddress(low: UInt32(kind), high: 0x5A00)
            entries.append(.init(sender: .device(phone, .random), samples: [.init(rssi: rssi, age: 0.2)]))
        }
        let message = HeardMessage(
            number: numbers[node] ?? 0, span: sign == UInt8(ascii: "-") ? nil : end - Double(1 + kind % 5)...end,
            share: kind & 16 == 0 ? 1 : 0.4, others: kind, entries: entries)
        return message.payload
    }

    /// Publishes about many invented nodes or regions.
    private mutating func crowd(_ kind: UInt8, isRetained: Bool) {
        let isOfRegions = kind & 8 != 0
        // A node may change the devices that are announced, which costs more.
        let count = isOfRegions ? min(crowd, [1100, 100, 20, 5][Int(kind) & 3]) : min(crowd / 90, 1 + Int(kind) & 7)
        crowd -= isOfRegions ? count : 90 * count
        for number in 0..<count {
            let name = String(repeating: "n", count: kind & 16 == 0 ? 4 : 59) + String(number)
            if isOfRegions {
                publishRegion(name, isKnown: kind & 4 == 0, isRetained: isRetained)
            } else {
                publishNode(name, hasReceptions: kind & 32 == 0, isRetained: isRetained)
            }
        }
        site.settle()
    }

    private mutating func publishRegion(_ name: String, isKnown: Bool, isRetained: Bool) {
        let topic = "\(Self.root)/region/\(name)"
        guard isKnown else {
            return site.publish("\(topic)/battery", Array("{\"percent\":80}".utf8), isRetained: isRetained)
        }
        sequence += 1
        let state = "{\"state\":\"inside\",\"name\":\"\(name)\"}"
        let event = "{\"event_type\":\"exit\",\"id\":\"\(sequence)\"}"
        site.publish(topic, Array(state.utf8), isRetained: isRetained)
        site.publish("\(topic)/event", Array(event.utf8), isRetained: false)
    }

    private mutating func publishNode(_ name: String, hasReceptions: Bool, isRetained: Bool) {
        let topic = "\(Self.root)/node/\(name)"
        let card = "{\"kind\":\"receiver\",\"room\":\"\(name)\",\"offset\":-3}"
        site.publish("\(topic)/about", Array(card.utf8), isRetained: isRetained)
        site.publish("\(topic)/status", Array("online".utf8), isRetained: isRetained)
        guard hasReceptions else { return }
        let message = receptions(of: name, UInt8(ascii: "+"), 3)
        site.publish("\(topic)/heard", Array(message.utf8), isRetained: false)
    }
}
