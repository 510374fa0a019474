import Agreement
import Events
import FuzzSupport
import HCI
import IBeacon
import MQTT
import Plumbing
import RegionMonitoring

@testable import House

/// The input is a program, a step on each line: what clients of the broker publish, honest or not, what a node's own radio and
/// Wi-Fi report, connections that begin and end, and time. See ``Program``.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzBroker(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var program = Program()
    for line in input(start, count).split(separator: UInt8(ascii: "\n"), maxSplits: 16) { program.run(Array(line)) }
    program.end()
    return 0
}

/// A step is a letter and its arguments, a character each; the rest of the line is a payload. A small letter publishes something
/// that is not retained, a capital letter something that is.
struct Program {
    private static let root = "okaeri/\(Site.name)"
    private static let nodes = ["hall", "attic", "cellar", "loft", "den", "n1"]
    private static let levels = ["keys", "x95546acdd3e8", "x0123456789ab", "car", "old"]
    private static let states: [RegionState] = [.unknown, .inside, .outside]
    private static let spans: [Double] = [0.1, 0.5, 1, 2, 3, 5, 10, 20, 40, 95, 310, 1000, 90_000]

    /// A house of which one node has started: what every input begins with.
    private static let beginning = {
        var site = Site()
        site.connect(0)
        site.pass(5_000_000_000, turns: 20)
        return site
    }()

    private var site = Self.beginning
    private var sequence = 0
    /// The number of further nodes that the input may invent: each costs time.
    private var crowd = 1100

    mutating func run(_ line: [UInt8]) {
        guard let step = line.first else { return }
        let arguments = line.dropFirst()
        if (step | 0x20) >= UInt8(ascii: "a"), (step | 0x20) <= UInt8(ascii: "z") {
            publish(step | 0x20, arguments, isRetained: step & 0x20 == 0)
        } else {
            act(step, arguments)
        }
    }

    mutating func end() {
        site.pass(1_000_000_000, turns: 4)
        for member in site.members where member.hasStarted { member.checkNodes(at: site.now) }
    }
}

// MARK: - What others publish

extension Program {
    private mutating func publish(_ step: UInt8, _ arguments: ArraySlice<UInt8>, isRetained: Bool) {
        var rest = arguments
        switch step {
        case UInt8(ascii: "t"):
            // Delivered to a node that may not have asked for it.
            let parts = rest.split(separator: UInt8(ascii: " "), maxSplits: 1)
            let topic = parts.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
            let payload = parts.dropFirst().first.map(Array.init) ?? []
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
        switch step {
        case UInt8(ascii: "s"): return "\(Self.root)/node/\(one(of: Self.nodes))/status"
        case UInt8(ascii: "c"): return "\(Self.root)/node/\(one(of: Self.nodes))/about"
        case UInt8(ascii: "k"): return "\(Self.root)/node/\(one(of: Self.nodes))/scanner"
        case UInt8(ascii: "v"): return "\(Self.root)/node/\(one(of: Self.nodes))/region/\(one(of: Self.levels))"
        case UInt8(ascii: "r"): return "\(Self.root)/region/\(one(of: Self.levels))"
        case UInt8(ascii: "e"): return "\(Self.root)/region/\(one(of: Self.levels))/event"
        case UInt8(ascii: "p"): return "\(Self.root)/node/\(Site.names[0])/prompt/answer"
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
        sequence += 1
        let text: String
        switch step {
        case UInt8(ascii: "s"): text = isOn ? "online" : "offline"
        case UInt8(ascii: "k"): text = "{\"ok\":\(isOn),\"adapter\":\"hci0\",\"reason\":null}"
        case UInt8(ascii: "c"): text = "{\"room\":\"den\",\"regions\":[\(isOn ? "\"keys\",\"car\"" : "\"old\"")]}"
        case UInt8(ascii: "v"):
            let incarnation = rest.dropFirst().first ?? 0
            text = """
                {"state":"\(state)","rssi":-\(50 + Int(incarnation) % 40),"spread":2.5,"age":0.5,\
                "incarnation":"\(topic.utf8.count)-\(incarnation % 3)","seq":\(sequence)}
                """
        case UInt8(ascii: "r"):
            text = """
                {"state":"\(state)","room":"den","since":"2026-11-21T17:00:00.000Z","beacon":null,"last":"\(state)",\
                "hearing":[],"change":\(sequence / 2),"news":\(isOn),"by":"ff","seq":\(sequence),"restored":\(rest.count > 1)}
                """
        case UInt8(ascii: "e"):
            text = """
                {"event_type":"\(isOn ? "enter" : "exit")","room":"den","time":"2026-11-21T17:00:00.000Z","id":"\(sequence)"}
                """
        default: return Array(rest)
        }
        return Array(text.utf8)
    }

    /// Publishes many invented nodes: online, inside, waited for.
    private mutating func crowd(_ kind: UInt8, isRetained: Bool) {
        // A list of them is only read, and costs less.
        let isList = kind & 8 != 0
        let count = isList ? min(crowd, [1100, 100, 20, 5][Int(kind) & 3]) : min(crowd / 90, 1 + Int(kind) & 7)
        crowd -= isList ? count : 90 * count
        let name = String(repeating: "n", count: kind & 4 == 0 ? 4 : 59)
        let names = (0..<count).map { "\(name)\($0)" }
        if isList {
            let list = names.map { "{\"node\":\"\($0)\"}" }.joined(separator: ",")
            sequence += 1
            let payload = """
                {"state":"unknown","since":"2026-11-21T17:00:00Z","last":"inside","hearing":[\(list)],"by":"ff",\
                "seq":\(sequence)}
                """
            site.publish("\(Self.root)/region/keys", Array(payload.utf8), isRetained: isRetained)
        } else {
            for name in names {
                if kind & 16 == 0 {
                    site.publish("\(Self.root)/node/\(name)/status", Array("online".utf8), isRetained: isRetained)
                } else {
                    let payload = "{\"state\":\"inside\",\"incarnation\":\"x\",\"seq\":1}"
                    site.publish("\(Self.root)/node/\(name)/region/keys", Array(payload.utf8), isRetained: isRetained)
                }
            }
        }
        site.settle()
    }
}

// MARK: - What the nodes themselves do

extension Program {
    private mutating func act(_ step: UInt8, _ arguments: ArraySlice<UInt8>) {
        var rest = arguments
        func next() -> Int { Int(rest.popFirst() ?? 0) }
        func region() -> String { Member.regions[next() % Member.regions.count] }
        switch step {
        case UInt8(ascii: "+"):
            // 0 is the first of them, : the eleventh.
            let span = Self.spans[(next() + 160) % 208 % Self.spans.count]
            site.pass(Int64(span * 1e9), turns: next() & 1 == 0 ? 6 : 0)
        case UInt8(ascii: "("): site.connect(next() & 1)
        case UInt8(ascii: ")"): site.cut(next() & 1)
        case UInt8(ascii: "!"):
            let (member, region, state) = (next() & 1, region(), Self.states[next() % 3])
            site.perform(member) { $0.determined(region, state, at: $1.instant) }
        case UInt8(ascii: "#"):
            let (member, region, rssi) = (next() & 1, region(), min(20, Int8(truncatingIfNeeded: next())))
            let beacon = UInt64(next())
            site.perform(member) { $0.heard(region, from: beacon, rssi: rssi, at: $1.instant) }
        case UInt8(ascii: "="):
            let (member, mask) = (next() & 1, next())
            let regions = Member.regions.enumerated().filter { mask >> $0.offset & 1 == 0 }.map(\.element)
            site.perform(member) { $0.configured(regions.map { BrokerRegion($0, beacon: $0) }, at: $1) }
        case UInt8(ascii: "?"):
            site.perform(next() & 1) { $0.asked(at: $1.instant) }
        case UInt8(ascii: "/"):
            let member = next() & 1
            let name = rest.count == 1 ? Self.nodes[next() % Self.nodes.count] : String(decoding: rest, as: UTF8.self)
            site.perform(member) { core, now in (try? core.forget(name, at: now).get()) ?? [] }
        default: ask(step, rest)
        }
    }

    /// Prompts, Bluetooth and ranging.
    private mutating func ask(_ step: UInt8, _ arguments: ArraySlice<UInt8>) {
        var rest = arguments
        let member = Int(rest.popFirst() ?? 0) & 1
        let text = String(String(decoding: rest, as: UTF8.self).escapedName.prefix(60))
        let wifi = Event.WiFi(id: "1", ssid: text, region: "keys")
        switch step {
        case UInt8(ascii: "<"): site.perform(member) { core, _ in core.asked(wifi) }
        case UInt8(ascii: ">"):
            site.perform(member) { core, _ in core.ended(wifi, wasAnswered: text.isEmpty) }
        case UInt8(ascii: "~"): site.perform(member) { core, _ in core.withdrawn("1") }
        case UInt8(ascii: "%"):
            site.perform(member) { core, _ in
                core.bluetoothChanged(
                    .init(state: text.isEmpty ? .poweredOn : .poweredOff, adapter: "hci0", reason: text))
            }
        case UInt8(ascii: "&"):
            let list = rest.map { octet in
                RegionMonitor.BeaconSnapshot(
                    identity: BeaconIdentity(uuid: BeaconUUID(high: 1, low: 1), major: 1, minor: 1),
                    rssi: -Int8(octet / 2), accuracy: octet & 1 == 0 ? -1 : Double(octet),
                    regions: [Member.regions[Int(octet) % Member.regions.count]])
            }
            site.hears(member, list)
        default: break
        }
    }
}
