import Testing

@testable import BlueZ
@testable import OkaeriDBus

@Suite struct MirrorMachineTests {
    private var machine = MirrorMachine()
    private let adapter = "/org/bluez/hci0"
    private let value = "/org/bluez/hci0/dev_1/service1/char1"

    private func powered(_ isPowered: Bool) -> ObjectTree.Interfaces {
        [Interface.adapter: ["Powered": .boolean(isPowered)]]
    }

    private mutating func follow() {
        _ = machine.busConnected()
        _ = machine.ownerChanged(to: ":1.1")
        _ = machine.listed([adapter: powered(true), value: [Interface.characteristic: [:]]], by: ":1.1")
    }

    @Test mutating func `nothing is known until bluetoothd has listed its objects`() {
        #expect(machine.reach == .noBus)
        #expect(machine.busConnected() == [.changed(.all)])
        #expect(machine.reach == .unknown, "the owner of the name is not known yet")
        #expect(machine.ownerChanged(to: ":1.1") == [.changed(.all), .list(owner: ":1.1")])
        #expect(machine.reach == .unknown)
        #expect(machine.listed([adapter: powered(true)], by: ":1.1") == [.changed(.all)])
        #expect(machine.reach == .known)
        #expect(machine.tree[adapter, Interface.adapter] == ["Powered": .boolean(true)])
    }

    @Test mutating func `a bus without bluetoothd`() {
        _ = machine.busConnected()
        #expect(machine.ownerChanged(to: nil) == [.changed(.all)])
        #expect(machine.reach == .noDaemon)
        #expect(machine.ownerChanged(to: ":1.2") == [.changed(.all), .list(owner: ":1.2")])
    }

    @Test mutating func `signals during the listing are applied to it`() {
        _ = machine.busConnected()
        _ = machine.ownerChanged(to: ":1.1")
        let changed = MirrorMachine.Notice.changed(
            adapter, Interface.adapter, ["Powered": .boolean(false)], invalidated: [])
        #expect(machine.received(changed, from: ":1.1") == [])
        #expect(machine.received(.removed("/gone", [Interface.device]), from: ":1.1") == [])
        let listed = machine.listed([adapter: powered(true), "/gone": [Interface.device: [:]]], by: ":1.1")
        #expect(listed == [.changed(.all)])
        #expect(machine.tree[adapter, Interface.adapter] == ["Powered": .boolean(false)])
        #expect(machine.tree["/gone", Interface.device] == nil)
    }

    @Test mutating func `a refresh finds what was never signalled, and loses no signal meanwhile`() {
        follow()
        #expect(machine.refreshed() == [.list(owner: ":1.1")])
        #expect(machine.refreshed() == [.list(owner: ":1.1")])
        let lamp = ["/lamp": [Interface.device: ["Connected": DBusValue.boolean(false)]]]
        let (off, on) = (["Connected": DBusValue.boolean(false)], ["Connected": DBusValue.boolean(true)])
        #expect(
            machine.received(.added("/lamp", lamp["/lamp"] ?? [:]), from: ":1.1")
                == [.changed(.object(path: "/lamp", before: nil, now: off, didConnect: false))])
        let before = [adapter: powered(true), "/forgotten": [Interface.device: [:]]]
        #expect(machine.listed(before, by: ":1.1") == [.changed(.all)], "it was asked before there was a lamp")
        #expect(machine.tree["/lamp", Interface.device] != nil)
        #expect(machine.tree["/forgotten", Interface.device] != nil)
        #expect(machine.tree[value, Interface.characteristic] == nil, "it has gone without a signal")
        #expect(machine.refreshes.ended == 1)
        let changed = MirrorMachine.Notice.changed(
            "/lamp", Interface.device, ["Connected": .boolean(true)], invalidated: [])
        #expect(
            machine.received(changed, from: ":1.1")
                == [.changed(.object(path: "/lamp", before: off, now: on, didConnect: true))])
        #expect(machine.listed(lamp, by: ":1.1") == [.changed(.all)])
        #expect(machine.tree["/lamp", Interface.device]?["Connected"]?.boolean == true)
        #expect(machine.refreshes.ended == 2)
        #expect(machine.reach == .known)
    }

    @Test mutating func `a refresh ends with the bluetoothd that was asked`() {
        follow()
        _ = machine.refreshed()
        _ = machine.ownerChanged(to: nil)
        #expect(machine.refreshes.ended == machine.refreshes.asked)
        #expect(machine.refreshed() == [], "there is no server")
        #expect(machine.refreshes.ended == machine.refreshes.asked)
    }

    @Test mutating func `another bluetoothd begins anew, and the old one's signals count for nothing`() {
        follow()
        let resets = machine.resets
        #expect(machine.ownerChanged(to: ":1.2") == [.changed(.all), .list(owner: ":1.2")])
        #expect(machine.tree == ObjectTree())
        #expect(machine.resets > resets)
        #expect(machine.listed([adapter: powered(true)], by: ":1.1") == [], "too late")
        #expect(machine.received(.added("/new", [Interface.device: [:]]), from: ":1.1") == [])
        #expect(machine.listed([:], by: ":1.2") == [.changed(.all)])
        #expect(machine.tree == ObjectTree())
    }

    @Test mutating func `an owner that is signalled twice is listed once`() {
        follow()
        #expect(machine.ownerChanged(to: ":1.1") == [])
        #expect(machine.reach == .known)
    }

    @Test mutating func `bluetoothd ends, and so does the bus`() {
        follow()
        #expect(machine.ownerChanged(to: nil) == [.changed(.all)])
        #expect(machine.reach == .noDaemon)
        #expect(machine.busLost() == [.changed(.all)])
        #expect(machine.reach == .noBus)
        #expect(machine.ownerChanged(to: ":1.3") == [], "that was said before the bus was lost")
    }

    @Test mutating func `properties change, go, and come with their object only`() {
        follow()
        let notice = MirrorMachine.Notice.changed(
            adapter, Interface.adapter, ["Alias": .string("Pi")], invalidated: ["Powered"])
        #expect(machine.received(notice, from: ":1.1") == [.changed(.all)])
        #expect(machine.tree[adapter, Interface.adapter] == ["Alias": .string("Pi")])
        let stranger = MirrorMachine.Notice.changed("/x", Interface.device, ["RSSI": .int16(-3)], invalidated: [])
        #expect(machine.received(stranger, from: ":1.1") == [])
        #expect(machine.tree["/x", Interface.device] == nil)
    }

    @Test mutating func `a change to the same value is of no interest`() {
        follow()
        let device = ["RSSI": DBusValue.int16(-60)]
        _ = machine.received(.added("\(adapter)/dev_1", [Interface.device: device]), from: ":1.1")
        for (rssi, count) in [(-60, 0), (-61, 1), (-61, 0)] as [(Int16, Int)] {
            let heard = MirrorMachine.Notice.changed(
                "\(adapter)/dev_1", Interface.device, ["RSSI": .int16(rssi)], invalidated: [])
            #expect(machine.received(heard, from: ":1.1").count == count)
        }
    }

    @Test mutating func `a flood during the listing is held as one notice of each device`() {
        _ = machine.busConnected()
        _ = machine.ownerChanged(to: ":1.1")
        for number in 0..<10_000 {
            let heard = MirrorMachine.Notice.changed(
                "\(adapter)/dev_\(number % 5)", Interface.device, ["RSSI": .int16(Int16(number % 100))], invalidated: []
            )
            _ = machine.received(heard, from: ":1.1")
        }
        #expect(machine.held.notices.count == 5)
        let devices = (0..<5).map { ("\(adapter)/dev_\($0)", [Interface.device: ObjectTree.Properties()]) }
        _ = machine.listed(Dictionary(uniqueKeysWithValues: devices), by: ":1.1")
        #expect(machine.tree["\(adapter)/dev_4", Interface.device] == ["RSSI": .int16(99)])
        #expect(machine.held == PendingSignals())
    }

    @Test mutating func `a characteristic's value is passed on`() {
        follow()
        let notice = MirrorMachine.Notice.changed(
            value, Interface.characteristic, ["Value": .bytes([1, 2])], invalidated: [])
        #expect(machine.received(notice, from: ":1.1") == [.value(path: value, [1, 2])])
        #expect(
            machine.received(notice, from: ":1.1") == [.value(path: value, [1, 2])], "also when it is the same again")
    }

    @Test mutating func `an adapter that is switched off or unplugged loses its requests`() {
        follow()
        let resets = machine.resets
        let off = MirrorMachine.Notice.changed(
            adapter, Interface.adapter, ["Powered": .boolean(false)], invalidated: [])
        _ = machine.received(off, from: ":1.1")
        #expect(machine.resets == resets + 1)
        _ = machine.received(.removed(adapter, [Interface.adapter]), from: ":1.1")
        #expect(machine.resets == resets + 2)
        #expect(machine.received(.removed(adapter, [Interface.adapter]), from: ":1.1") == [])
    }

    @Test mutating func `a device that connects is counted, whether it was known before or not`() {
        follow()
        let connections = machine.connections
        _ = machine.received(
            .added("\(adapter)/dev_1", [Interface.device: ["Connected": .boolean(false)]]), from: ":1.1")
        for (isConnected, count) in [(true, 1), (false, 1), (true, 2)] as [(Bool, UInt64)] {
            _ = machine.received(
                .changed(
                    "\(adapter)/dev_1", Interface.device, ["Connected": .boolean(isConnected)], invalidated: []),
                from: ":1.1")
            #expect(machine.connections == connections + count)
        }
        _ = machine.received(
            .added("\(adapter)/dev_2", [Interface.device: ["Connected": .boolean(true)]]), from: ":1.1")
        #expect(machine.connections == connections + 3)
    }

    @Test func `malformed signals have no effect`() {
        func notice(_ interface: String, _ member: String, _ arguments: [DBusValue]) -> MirrorMachine.Notice? {
            MirrorMachine.Notice(
                BusSignal(sender: ":1.1", path: "/", interface: interface, member: member, arguments: arguments))
        }
        #expect(notice(Interface.objectManager, "InterfacesAdded", []) == nil)
        #expect(notice(Interface.objectManager, "InterfacesAdded", [.int32(1), .int32(2)]) == nil)
        #expect(notice(Interface.objectManager, "InterfacesRemoved", [.objectPath("/a"), .string("b")]) == nil)
        #expect(notice(Interface.properties, "PropertiesChanged", [.string("a"), .strings([]), .strings([])]) == nil)
        #expect(notice("com.example", "PropertiesChanged", []) == nil)
        let removed = notice(Interface.objectManager, "InterfacesRemoved", [.objectPath("/a"), .strings(["b"])])
        #expect(removed == .removed("/a", ["b"]))
    }

    // MARK: Ends of connections

    private mutating func connectLamp() {
        follow()
        let lamp: ObjectTree.Properties = ["Address": .string("AA:00"), "Connected": .boolean(true)]
        _ = machine.received(.added("/lamp", [Interface.device: lamp]), from: ":1.1")
    }

    private mutating func setConnected(_ isConnected: Bool) {
        let change = ["Connected": DBusValue.boolean(isConnected)]
        _ = machine.received(.changed("/lamp", Interface.device, change, invalidated: []), from: ":1.1")
    }

    @Test mutating func `the reason that bluetoothd signals before the end of a connection belongs to it`() {
        connectLamp()
        #expect(machine.ends.last(of: "AA:00") == nil)
        let reason = DisconnectionReason(name: "org.bluez.Reason.Timeout", message: "Connection timeout")
        _ = machine.received(.disconnected("/lamp", reason), from: ":1.1")
        #expect(machine.ends.last(of: "AA:00") == nil, "it is connected")
        setConnected(false)
        #expect(machine.ends.last(of: "aa:00") == LinkEnds.End(address: "AA:00", number: 1, reason: reason))
        #expect(machine.ends.reason(of: "AA:00", after: 0) == reason)
        #expect(machine.ends.reason(of: "AA:00", after: 1) == nil, "it is that of an older connection")
        setConnected(true)
        setConnected(false)
        #expect(machine.ends.last(of: "AA:00") == LinkEnds.End(address: "AA:00", number: 2, reason: nil))
        #expect(machine.ends.reason(of: "AA:00", after: 0) == nil)
    }

    @Test mutating func `a reason that comes late belongs to the earlier end`() {
        connectLamp()
        setConnected(false)
        let reason = DisconnectionReason(name: "org.bluez.Reason.Remote", message: "")
        _ = machine.received(.disconnected("/lamp", reason), from: ":1.1")
        #expect(machine.ends.last(of: "AA:00")?.reason == reason)
    }

    @Test(arguments: ["removed", "added", "owner", "bus", "refresh"])
    mutating func `each loss of a connected device is an end`(_ fault: String) {
        connectLamp()
        switch fault {
        case "removed": _ = machine.received(.removed("/lamp", [Interface.device]), from: ":1.1")
        case "added":
            let lost = [Interface.device: ["Connected": DBusValue.boolean(false)]]
            _ = machine.received(.added("/lamp", lost), from: ":1.1")
        case "owner": _ = machine.ownerChanged(to: nil)
        case "bus": _ = machine.busLost()
        default:
            _ = machine.refreshed()
            _ = machine.listed([adapter: powered(true)], by: ":1.1")
        }
        #expect(machine.ends.number(of: "AA:00") == 1)
    }

    @Test mutating func `signals that are applied again after a refresh count once`() {
        connectLamp()
        let list = [adapter: powered(true), "/lamp": machine.tree.objects["/lamp"] ?? [:]]
        _ = machine.refreshed()
        setConnected(false)
        _ = machine.listed(list, by: ":1.1")
        #expect(machine.ends.number(of: "AA:00") == 1)
    }

    @Test func `the number of ends is bounded, and the latest stay`() {
        var ends = LinkEnds()
        for number in 1...1000 {
            ends.received(.init(name: "Local", message: ""), of: "/other\(number)", isConnected: true)
            ends.ended("/\(number)", address: "\(number)")
        }
        #expect(ends.last(of: "1000")?.number == 1000)
        #expect(ends.last(of: "\(1000 - LinkEnds.limit)") == nil)
        #expect(ends.last(of: "\(1001 - LinkEnds.limit)") != nil)
    }

    @Test(arguments: [
        ("org.bluez.Reason.Unknown", DisconnectionReason.Kind.unknown), ("org.bluez.Reason.Timeout", .timeout),
        ("org.bluez.Reason.Local", .local), ("org.bluez.Reason.Remote", .remote),
        ("org.bluez.Reason.Authentication", .authentication), ("org.bluez.Reason.Suspend", .suspend),
        ("org.bluez.Reason.Later", .unknown), ("", .unknown),
    ]) func `the names of reasons are read`(_ name: String, _ kind: DisconnectionReason.Kind) {
        #expect(DisconnectionReason(name: name, message: "").kind == kind)
    }

    @Test func `the message of a reason is one line, and bounded`() {
        let reason = DisconnectionReason(name: "", message: "a\nb" + String(repeating: "x", count: 1000))
        #expect(reason.message.hasPrefix("a b") && reason.message.count == 200)
        #expect(reason.description == reason.message)
    }
}
