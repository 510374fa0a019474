@testable import BlueZ
import OkaeriDBus
import OkaeriTestSupport
import Testing

/// The changes that wake a waiter, and those stored meanwhile: an advertisement of a stranger wakes none.
@Suite struct InterestTests {
    private let lamp = "/org/bluez/hci0/dev_1"

    private func change(
        _ path: String, from before: ObjectTree.Properties? = [:], to now: ObjectTree.Properties? = [:],
        didConnect: Bool = false
    ) -> MirrorChange {
        .object(path: path, before: before, now: now, didConnect: didConnect)
    }

    @Test func `a change of interest to all wakes all`() {
        for interest in [Interest.adapters, .connections, .object(lamp), .devices { _ in false }] {
            #expect(interest.includes(.all))
        }
    }

    @Test func `an object is waited for with all that is below it, and not its neighbour`() {
        let interest = Interest.object(lamp)
        #expect(interest.includes(change(lamp)))
        #expect(interest.includes(change("\(lamp)/service1/char1", from: nil, to: nil)))
        #expect(!interest.includes(change("\(lamp)2")))
    }

    @Test func `a device is waited for by what it is, and by what it was`() {
        let interest = CentralManager.Target.service(BluetoothUUID(0x180F)).interest
        let battery: ObjectTree.Properties = ["UUIDs": .strings(["0000180F-0000-1000-8000-00805F9B34FB"])]
        #expect(interest.includes(change(lamp, to: battery)))
        #expect(interest.includes(change(lamp, from: battery)))
        #expect(interest.includes(change(lamp, from: battery, to: nil)))
        #expect(!interest.includes(change(lamp)))
        let named = CentralManager.Target.address("aa:00").interest
        #expect(named.includes(change(lamp, to: ["Address": .string("AA:00")])))
        #expect(!named.includes(change(lamp, to: ["Address": .string("AA:01")])))
    }

    @Test func `a connection wakes its waiters`() {
        #expect(Interest.connections.includes(change(lamp, didConnect: true)))
        #expect(!Interest.connections.includes(change(lamp)))
        #expect(!Interest.adapters.includes(change(lamp, didConnect: true)))
    }

    @Test func `a change between two waits is not missed, and any number of them is one`() async {
        let waiters = Waiters()
        let waiter = waiters.add(.adapters)
        waiters.wake(for: .all)
        waiters.wake(waiter)
        await confirmation("each wait ends", expectedCount: 3) { ended in
            await waiters.wait(waiter)
            ended()
            async let woken: Void = waiters.wait(waiter)
            waiters.wake(for: .all)
            await woken
            ended()
            waiters.remove(waiter)
            await waiters.wait(waiter)
            ended()
        }
    }

    @Test(arguments: 1...50) func `held notices have the effect of each by itself`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var held = PendingSignals()
        var all: [MirrorMachine.Notice] = []
        for _ in 0..<200 {
            let path = "/\(Int.random(in: 0..<3, using: &generator))"
            let name = ["A", "B", "C"][Int.random(in: 0..<3, using: &generator)]
            let other = ["A", "B", "C"][Int.random(in: 0..<3, using: &generator)]
            let value = DBusValue.byte(.random(in: 0..<9, using: &generator))
            let notice: MirrorMachine.Notice =
                switch Int.random(in: 0..<10, using: &generator) {
                case 0: .added(path, [Interface.device: [name: value]])
                case 1: .removed(path, [Interface.device])
                case 2: .changed(path, Interface.adapter, [name: value], invalidated: [])
                case 3: .changed(path, Interface.device, [:], invalidated: [name])
                default: .changed(path, Interface.device, [name: value], invalidated: [other])
                }
            held.append(notice)
            all.append(notice)
        }
        #expect(held.notices.count < all.count)
        #expect(tree(held.notices) == tree(all))
    }

    private func tree(_ notices: [MirrorMachine.Notice]) -> ObjectTree {
        var tree = ObjectTree()
        tree.add("/0", [Interface.device: [:], Interface.adapter: [:]])
        for notice in notices {
            switch notice {
            case .added(let path, let interfaces): tree.add(path, interfaces)
            case .removed(let path, let interfaces): _ = tree.remove(path, interfaces)
            case .changed(let path, let interface, let changed, let invalidated):
                _ = tree.change(path, interface, changed, invalidated: invalidated)
            case .disconnected: break
            }
        }
        return tree
    }
}
