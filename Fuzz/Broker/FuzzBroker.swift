import OkaeriFuzzSupport
import HCI
import IBeacon
import OkaeriEvents
import OkaeriMQTT
import OkaeriPlumbing
import OkaeriPresence
import RegionMonitoring

@testable import OkaeriHouse

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
/// that is not retained, a capital letter something that is. The first argument of an own act is the member of the site.
struct Program {
    static let root = "okaeri/\(Site.name)"
    /// The members of the site are the first of them.
    static let nodes = Site.names + ["loft", "den", "n1"]
    private static let spans: [Double] = [0.1, 0.5, 1, 2, 3, 5, 10, 20, 40, 95, 310, 1000, 90_000]

    /// A house whose hub has started: what every input begins with.
    private static let beginning = {
        var site = Site()
        site.connect(0)
        site.pass(5_000_000_000, turns: 20)
        return site
    }()

    var site = Self.beginning
    var sequence = 0
    /// The numbers of the messages about receptions, by node.
    var numbers: [String: UInt64] = [:]
    /// The number of further messages about invented nodes and regions: each costs time.
    var crowd = 1100
    /// Whether the broker has delivered only what its clients published.
    var isBrokerHonest = true

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
        for member in site.members where member.hasStarted { member.checkReports(at: site.now) }
        guard isBrokerHonest, site.members.count(where: { $0.core.isHub && $0.isConnected }) > 1 else { return }
        // A hub claims half a minute after the other one has gone; a conflict is resolved within a few seconds.
        site.pass(40_000_000_000, turns: 400)
        if site.holders.count > 1 { site.pass(5_000_000_000, turns: 100) }
        require(site.holders.count <= 1, "several hubs decide for the site: \(site.holders)")
    }
}

// MARK: - What the nodes themselves do

extension Program {
    private mutating func act(_ step: UInt8, _ arguments: ArraySlice<UInt8>) {
        var rest = arguments
        func next() -> Int { Int(rest.popFirst() ?? 0) }
        switch step {
        case UInt8(ascii: "+"):
            // 0 is the first of them, : the eleventh.
            let span = Self.spans[(next() + 160) % 208 % Self.spans.count]
            site.pass(Int64(span * 1e9), turns: next() & 1 == 0 ? 12 : 0)
        case UInt8(ascii: "("): site.connect(next() % Site.names.count)
        case UInt8(ascii: ")"): site.cut(next() % Site.names.count)
        case UInt8(ascii: "*"):
            let member = next() % Site.names.count
            site.restart(member, incarnation: "\(Site.names[member])-\(next())")
        default:
            let member = next() % Site.names.count
            if !decide(step, member, rest) { ask(step, member, rest) }
        }
    }

    /// Regions, radios and nodes. Returns whether there is such a step.
    private mutating func decide(_ step: UInt8, _ member: Int, _ arguments: ArraySlice<UInt8>) -> Bool {
        var rest = arguments
        func next() -> Int { Int(rest.popFirst() ?? 0) }
        switch step {
        case UInt8(ascii: "!"):
            let (region, state) = (Member.regions[next() % Member.regions.count], next())
            determine(member, region, [.unknown, .inside, .outside][state % 3], hasEvent: next() == 0)
        case UInt8(ascii: "#"):
            let (region, rssi) = (Member.regions[next() % Member.regions.count], signal(next()))
            let (beacon, radio) = (UInt64(next()), next())
            let name = radio == 0 ? nil : Self.nodes[radio % Self.nodes.count]
            site.perform(member) { $0.heard(by: name, region, from: beacon, rssi: rssi, at: $1) }
        case UInt8(ascii: "$"):
            let (kind, sender, rssi) = (next(), next(), next())
            site.receive(member, reception(kind, sender, rssi: rssi == 0 ? nil : signal(rssi)))
        case UInt8(ascii: "="):
            let mask = next()
            let regions = Member.regions.indices.filter { mask >> $0 & 1 == 0 }.map(Member.region)
            site.perform(member) { $0.configured(regions, at: $1) }
        case UInt8(ascii: "?"): if site.members[member].hasStarted { site.members[member].checkReports(at: site.now) }
        case UInt8(ascii: "/"):
            let name = rest.count == 1 ? Self.nodes[next() % Self.nodes.count] : String(decoding: rest, as: UTF8.self)
            site.perform(member) { core, now in (try? core.forget(name, at: now).get()) ?? [] }
        case UInt8(ascii: "@"):
            let (mask, percent) = (next(), next() % 101)
            site.charge(
                member, Member.regions.enumerated().filter { mask >> $0.offset & 1 != 0 }.map(\.element), percent)
        default: return false
        }
        return true
    }

    /// The region monitor of a hub reports an event and the state.
    private mutating func determine(_ member: Int, _ region: String, _ state: RegionState, hasEvent: Bool) {
        if hasEvent, state != .unknown {
            let beacon = RangedBeacon(
                identity: BeaconIdentity(uuid: Member.uuid, major: 1, minor: 1), rssi: -60, accuracy: 1)
            let event: Event.Kind =
                state == .inside ? .didEnterRegion(region: region, beacon) : .didExitRegion(region: region)
            site.perform(member) { $0.happened(event, at: $1) }
        }
        site.perform(member) { $0.happened(.didDetermineState(region: region, state), at: $1) }
    }

    private func signal(_ octet: Int) -> Int8 { min(20, Int8(truncatingIfNeeded: octet)) }

    /// A reception by the own radio: a beacon of a region, a beacon of another site, a phone, or another device.
    private func reception(_ kind: Int, _ sender: Int, rssi: Int8?) -> Reception {
        let number = UInt16(sender)
        let sender: Reception.Sender =
            switch kind % 4 {
            case 0: .beacon(Member.beacon(Int(number) % 4, minor: number / 4), measuredPower: -59)
            case 1:
                .beacon(BeaconIdentity(uuid: BeaconUUID(high: 1, low: 1), major: number, minor: 1), measuredPower: -59)
            case 2: .device(BluetoothAddress(low: UInt32(number), high: 0x5A00), .random)
            default: .device(BluetoothAddress(low: UInt32(number), high: 0xC000), .public)
            }
        return Reception(sender, rssi: rssi, at: Instant(nanoseconds: site.now))
    }

    /// Prompts, Bluetooth and ranging.
    private mutating func ask(_ step: UInt8, _ member: Int, _ rest: ArraySlice<UInt8>) {
        let text = String(String(decoding: rest, as: UTF8.self).escapedName.prefix(60))
        let wifi = Event.WiFi(id: "1", ssid: text, region: "keys")
        switch step {
        case UInt8(ascii: "<"): site.perform(member) { core, _ in core.prompt.asked(wifi) }
        case UInt8(ascii: ">"):
            site.perform(member) { core, _ in core.prompt.ended(wifi, wasAnswered: text.isEmpty) }
        case UInt8(ascii: "~"):
            site.perform(member) { core, _ in
                core.prompt.ended(.init(id: "1", ssid: "~", region: nil), wasAnswered: false)
            }
        case UInt8(ascii: "%"):
            site.perform(member) { core, _ in
                core.bluetoothChanged(
                    .init(state: text.isEmpty ? .poweredOn : .poweredOff, adapter: "hci0", reason: text))
            }
        case UInt8(ascii: ";"): site.fill(member, rest.first.map { $0 & 1 == 0 } ?? false)
        case UInt8(ascii: "&"):
            let list = rest.map { octet in
                let accuracy = octet & 1 == 0 ? -1 : Double(octet)
                let radios = [""] + Self.nodes
                return RegionMonitor.BeaconSnapshot(
                    identity: Member.beacon(Int(octet) % 4, minor: 1), rssi: -60, accuracy: accuracy,
                    regions: [Member.regions[Int(octet) % Member.regions.count]],
                    receptions: radios.prefix(Int(octet) % 6).map {
                        .init(radio: $0, rssi: -Double(octet) / 2, accuracy: accuracy)
                    })
            }
            site.measure(member, list)
        default: break
        }
    }
}
