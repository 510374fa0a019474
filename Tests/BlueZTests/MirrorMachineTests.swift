import DBus
import Testing

@testable import BlueZ

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
        #expect(machine.busConnected() == [.look])
        #expect(machine.reach == .unknown, "nobody has said yet who owns the name")
        #expect(machine.ownerChanged(to: ":1.1") == [.look, .list(owner: ":1.1")])
        #expect(machine.reach == .unknown)
        #expect(machine.listed([adapter: powered(true)], by: ":1.1") == [.look])
        #expect(machine.reach == .known)
        #expect(machine.tree[adapter, Interface.adapter] == ["Powered": .boolean(true)])
    }

    @Test mutating func `a bus without bluetoothd`() {
        _ = machine.busConnected()
        #expect(machine.ownerChanged(to: nil) == [.look])
        #expect(machine.reach == .noDaemon)
        #expect(machine.ownerChanged(to: ":1.2") == [.look, .list(owner: ":1.2")])
    }

    @Test mutating func `what is told during the listing is played over it`() {
        _ = machine.busConnected()
        _ = machine.ownerChanged(to: ":1.1")
        let changed = MirrorMachine.Notice.changed(
            adapter, Interface.adapter, ["Powered": .boolean(false)], invalidated: [])
        #expect(machine.told(changed, by: ":1.1") == [])
        #expect(machine.told(.removed("/gone", [Interface.device]), by: ":1.1") == [])
        let listed = machine.listed([adapter: powered(true), "/gone": [Interface.device: [:]]], by: ":1.1")
        #expect(listed == [.look, .look, .look])
        #expect(machine.tree[adapter, Interface.adapter] == ["Powered": .boolean(false)])
        #expect(machine.tree["/gone", Interface.device] == nil)
    }

    @Test mutating func `a refresh finds what was never told, and loses nothing of what is told meanwhile`() {
        follow()
        #expect(machine.refreshed() == [.list(owner: ":1.1")])
        #expect(machine.refreshed() == [.list(owner: ":1.1")])
        let lamp = ["/lamp": [Interface.device: ["Connected": DBusValue.boolean(false)]]]
        #expect(machine.told(.added("/lamp", lamp["/lamp"] ?? [:]), by: ":1.1") == [.look])
        let before = [adapter: powered(true), "/forgotten": [Interface.device: [:]]]
        #expect(machine.listed(before, by: ":1.1") == [.look], "it was asked before there was a lamp")
        #expect(machine.tree["/lamp", Interface.device] != nil)
        #expect(machine.tree["/forgotten", Interface.device] != nil)
        #expect(machine.tree[value, Interface.characteristic] == nil, "it has gone, and nobody told")
        #expect(machine.refreshes.ended == 1)
        let changed = MirrorMachine.Notice.changed(
            "/lamp", Interface.device, ["Connected": .boolean(true)], invalidated: [])
        #expect(machine.told(changed, by: ":1.1") == [.look])
        #expect(machine.listed(lamp, by: ":1.1") == [.look])
        #expect(machine.tree["/lamp", Interface.device]?["Connected"]?.boolean == true)
        #expect(machine.refreshes.ended == 2)
        #expect(machine.reach == .known)
    }

    @Test mutating func `a refresh ends with the bluetoothd that was asked`() {
        follow()
        _ = machine.refreshed()
        _ = machine.ownerChanged(to: nil)
        #expect(machine.refreshes.ended == machine.refreshes.asked)
        #expect(machine.refreshed() == [], "there is nobody to be asked")
        #expect(machine.refreshes.ended == machine.refreshes.asked)
    }

    @Test mutating func `another bluetoothd begins anew, and the old one's words count for nothing`() {
        follow()
        let resets = machine.resets
        #expect(machine.ownerChanged(to: ":1.2") == [.look, .list(owner: ":1.2")])
        #expect(machine.tree == ObjectTree())
        #expect(machine.resets > resets)
        #expect(machine.listed([adapter: powered(true)], by: ":1.1") == [], "too late")
        #expect(machine.told(.added("/new", [Interface.device: [:]]), by: ":1.1") == [])
        #expect(machine.listed([:], by: ":1.2") == [.look])
        #expect(machine.tree == ObjectTree())
    }

    @Test mutating func `the same owner told twice is listed once`() {
        follow()
        #expect(machine.ownerChanged(to: ":1.1") == [])
        #expect(machine.reach == .known)
    }

    @Test mutating func `bluetoothd ends, and so does the bus`() {
        follow()
        #expect(machine.ownerChanged(to: nil) == [.look])
        #expect(machine.reach == .noDaemon)
        #expect(machine.busLost() == [.look])
        #expect(machine.reach == .noBus)
        #expect(machine.ownerChanged(to: ":1.3") == [], "that was said before the bus was lost")
    }

    @Test mutating func `properties change, go, and come with their object only`() {
        follow()
        let notice = MirrorMachine.Notice.changed(
            adapter, Interface.adapter, ["Alias": .string("Pi")], invalidated: ["Powered"])
        #expect(machine.told(notice, by: ":1.1") == [.look])
        #expect(machine.tree[adapter, Interface.adapter] == ["Alias": .string("Pi")])
        let stranger = MirrorMachine.Notice.changed("/x", Interface.device, ["RSSI": .int16(-3)], invalidated: [])
        #expect(machine.told(stranger, by: ":1.1") == [])
        #expect(machine.tree["/x", Interface.device] == nil)
    }

    @Test mutating func `a characteristic's value is handed on`() {
        follow()
        let notice = MirrorMachine.Notice.changed(
            value, Interface.characteristic, ["Value": .bytes([1, 2])], invalidated: [])
        #expect(machine.told(notice, by: ":1.1") == [.value(path: value, [1, 2])])
        #expect(machine.told(notice, by: ":1.1") == [.value(path: value, [1, 2])], "also when it is the same again")
    }

    @Test mutating func `an adapter that is switched off or unplugged forgets what it was asked for`() {
        follow()
        let resets = machine.resets
        let off = MirrorMachine.Notice.changed(
            adapter, Interface.adapter, ["Powered": .boolean(false)], invalidated: [])
        _ = machine.told(off, by: ":1.1")
        #expect(machine.resets == resets + 1)
        _ = machine.told(.removed(adapter, [Interface.adapter]), by: ":1.1")
        #expect(machine.resets == resets + 2)
        #expect(machine.told(.removed(adapter, [Interface.adapter]), by: ":1.1") == [])
    }

    @Test mutating func `a device that connects is counted, whether it was known before or not`() {
        follow()
        let connections = machine.connections
        _ = machine.told(.added("\(adapter)/dev_1", [Interface.device: ["Connected": .boolean(false)]]), by: ":1.1")
        for (isConnected, count) in [(true, 1), (false, 1), (true, 2)] as [(Bool, UInt64)] {
            _ = machine.told(
                .changed(
                    "\(adapter)/dev_1", Interface.device, ["Connected": .boolean(isConnected)], invalidated: []),
                by: ":1.1")
            #expect(machine.connections == connections + count)
        }
        _ = machine.told(.added("\(adapter)/dev_2", [Interface.device: ["Connected": .boolean(true)]]), by: ":1.1")
        #expect(machine.connections == connections + 3)
    }

    @Test func `signals that are not as they should be tell nothing`() {
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
}
