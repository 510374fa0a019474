import OkaeriDBus
import OkaeriTestSupport
import Testing

@testable import BlueZ

extension OnTheBus {
    /// Subscriptions and the values for them, by way of a simulated bluetoothd.
    @Suite struct SubscriberTests {
        private typealias Event = PeripheralManager.Event

        private let daemon: BusDaemon
        private let level = MutableCharacteristic(BluetoothUUID(0x2A19), properties: [.read, .notify], value: [1])
        private let same = MutableCharacteristic(BluetoothUUID(0x2A19), properties: [.read, .indicate], value: [2])

        init() throws {
            daemon = try BusDaemon()
        }

        /// Offers both characteristics and runs the body as soon as centrals find them.
        private func offer(
            _ body: (Bluetoothd, PeripheralManager, inout AsyncStream<Event>.Iterator) async throws -> Void
        ) async throws {
            let bluetoothd = try await Bluetoothd(daemon.address)
            try await withPeripheralManager(bus: daemon.address) { manager in
                var events = manager.events.makeAsyncIterator()
                try manager.add(MutableService(BluetoothUUID(0x180F), characteristics: [level, same]))
                await expect(.didAddServices(adapter: "hci0"), in: &events)
                try await body(bluetoothd, manager, &events)
            }
        }

        private func expect(_ event: Event, in events: inout AsyncStream<Event>.Iterator) async {
            while let next = await events.next() { if next == event { return } }
            Issue.record("\(event) did not come")
        }

        @Test func `a subscription and its end are events, and decide whether a value is sent`() async throws {
            try await offer { bluetoothd, manager, events in
                #expect(manager.updateValue([1], for: level.id) == .noSubscriber)
                let path = try #require(await bluetoothd.path(of: level.uuid.full))
                try await bluetoothd.subscribe(to: path)
                #expect(await events.next() == .didSubscribe(level.id))
                try await bluetoothd.subscribe(to: path)
                #expect(await events.next() == .didSubscribe(level.id), "another central")
                #expect(manager.updateValue([1], for: level.id) == .queued)
                #expect(manager.updateValue([1], for: same.id) == .noSubscriber)
                try await bluetoothd.unsubscribe(from: path)
                #expect(await events.next() == .didUnsubscribe(level.id))
                #expect(manager.updateValue([1], for: level.id) == .noSubscriber)
                try await bluetoothd.unsubscribe(from: path)
                try await bluetoothd.subscribe(to: path)
                #expect(await events.next() == .didSubscribe(level.id), "an end without a subscription is not an event")
            }
        }

        @Test func `two characteristics with one UUID are each read, subscribed and updated`() async throws {
            try await offer { bluetoothd, manager, events in
                let paths = await bluetoothd.paths(of: level.uuid.full)
                try #require(paths.count == 2)
                #expect(try await bluetoothd.read(paths[0]) == [1])
                #expect(try await bluetoothd.read(paths[1]) == [2])
                try await bluetoothd.subscribe(to: paths[1])
                #expect(await events.next() == .didSubscribe(same.id))
                try await bluetoothd.subscribe(to: paths[0])
                #expect(await events.next() == .didSubscribe(level.id))
                var first = try await bluetoothd.notifications(of: paths[0]).makeAsyncIterator()
                var second = try await bluetoothd.notifications(of: paths[1]).makeAsyncIterator()
                #expect(manager.updateValue([4], for: same.id) == .queued)
                #expect(manager.updateValue([3], for: level.id) == .queued)
                #expect(await first.next()?.arguments[1].properties?["Value"] == .bytes([3]))
                #expect(await second.next()?.arguments[1].properties?["Value"] == .bytes([4]))
            }
        }

        @Test func `a subscriber receives each value in its order, also twice the same`() async throws {
            try await offer { bluetoothd, manager, events in
                try await bluetoothd.subscribe(to: level.uuid.full)
                await expect(.didSubscribe(level.id), in: &events)
                var received = try await bluetoothd.notifications(of: level.uuid.full).makeAsyncIterator()
                let values: [[UInt8]] = [[1], [1], [], Array(repeating: 2, count: 600)]
                for value in values { #expect(manager.updateValue(value, for: level.id) == .queued) }
                for value in values {
                    let arguments = await received.next()?.arguments
                    #expect(arguments?[1].properties?["Value"] == .bytes(Array(value.prefix(512))))
                }
                let unknown = MutableCharacteristic(BluetoothUUID(0x2A19), properties: .notify)
                #expect(manager.updateValue([1], for: unknown.id) == .notServed)
            }
        }

        @Test func `a full queue refuses values, and reports when it takes them again`() async throws {
            try await offer { bluetoothd, manager, events in
                try await bluetoothd.subscribe(to: level.uuid.full)
                await expect(.didSubscribe(level.id), in: &events)
                var count = 0
                while count < 1_000_000, manager.updateValue([1], for: level.id) == .queued { count += 1 }
                #expect(manager.updateValue([1], for: level.id) != .noSubscriber)
                #expect(count >= UpdateQueue.capacity)
                await expect(.isReadyToUpdateSubscribers, in: &events)
                #expect(manager.updateValue([1], for: level.id) == .queued)
            }
        }

        @Test func `a central that asks without end keeps out no subscription`() async throws {
            let gate = Watched(false)
            let slow = MutableCharacteristic(
                BluetoothUUID(0x2A6E), properties: [.read, .notify],
                read: { _ in
                    try? await gate.wait(until: "the reads are answered") { $0 }
                    return []
                })
            try await offer { bluetoothd, manager, events in
                try manager.add(MutableService(BluetoothUUID(0x181A), characteristics: [slow]))
                await expect(.didAddServices(adapter: "hci0"), in: &events)
                await withTaskGroup(of: Bool.self) { group in
                    // More than wait for the handler: some are refused at once, and the others are not answered yet.
                    for _ in 0..<100 { group.addTask { (try? await bluetoothd.read(slow.uuid.full)) != nil } }
                    #expect(await group.next() == false)
                    try? await bluetoothd.subscribe(to: slow.uuid.full)
                    await expect(.didSubscribe(slow.id), in: &events)
                    #expect(manager.updateValue([1], for: slow.id) == .queued)
                    gate.change { $0 = true }
                }
            }
        }

        @Test func `what is notified is for bluetoothd alone`() async throws {
            try await offer { bluetoothd, manager, events in
                try await bluetoothd.subscribe(to: level.uuid.full)
                await expect(.didSubscribe(level.id), in: &events)
                let stranger = try await Bus.connect(address: daemon.address)
                let properties = "org.freedesktop.DBus.Properties"
                var overheard = try await stranger.signals([SignalMatch(interface: properties)]).makeAsyncIterator()
                var received = try await bluetoothd.notifications(of: level.uuid.full).makeAsyncIterator()
                #expect(manager.updateValue([1], for: level.id) == .queued)
                #expect(await received.next()?.arguments[1].properties?["Value"] == .bytes([1]))
                // The signal to all comes later, and is the only one that the stranger receives.
                try await bluetoothd.power(false)
                #expect(await overheard.next()?.arguments[1].properties == ["Powered": .boolean(false)])
                await stranger.close()
            }
        }

        @Test func `a subscription ends with bluetoothd, with the adapter and with a change of the services`()
            async throws
        {
            try await offer { bluetoothd, manager, events in
                try await bluetoothd.subscribe(to: level.uuid.full)
                await expect(.didSubscribe(level.id), in: &events)
                try manager.add(MutableService(BluetoothUUID(0x180A), characteristics: []))
                await expect(.didUnsubscribe(level.id), in: &events)
                await expect(.didAddServices(adapter: "hci0"), in: &events)
                #expect(manager.updateValue([1], for: level.id) == .noSubscriber)

                try await bluetoothd.subscribe(to: level.uuid.full)
                await expect(.didSubscribe(level.id), in: &events)
                try await bluetoothd.unplug()
                await expect(.didUnsubscribe(level.id), in: &events)
                try await bluetoothd.plugIn()
                await expect(.didAddServices(adapter: "hci0"), in: &events)

                try await bluetoothd.subscribe(to: level.uuid.full)
                await expect(.didSubscribe(level.id), in: &events)
                await bluetoothd.end()
                await expect(.didUnsubscribe(level.id), in: &events)
            }
        }

        @Test func `the adapter that is switched off keeps the subscriptions, as bluetoothd does`() async throws {
            try await offer { bluetoothd, manager, events in
                try await bluetoothd.subscribe(to: level.uuid.full)
                await expect(.didSubscribe(level.id), in: &events)
                try await bluetoothd.power(false)
                while let event = await events.next() { if case .didUpdateState(.poweredOff, _) = event { break } }
                #expect(manager.updateValue([1], for: level.id) == .queued)
            }
        }

        @Test func `an adapter that was replaced keeps no services, and reports its subscriptions anew`() async throws {
            try await offer { bluetoothd, manager, events in
                try await bluetoothd.subscribe(to: level.uuid.full)
                await expect(.didSubscribe(level.id), in: &events)
                try await bluetoothd.plugIn(Bluetoothd.secondAdapter)
                try await bluetoothd.power(false)
                await expect(.didUnsubscribe(level.id), in: &events)
                await expect(.didAddServices(adapter: "hci1"), in: &events)
                #expect(await bluetoothd.applications.map(\.0.adapter) == [Bluetoothd.secondAdapter])
                try await bluetoothd.power(true)
                await expect(.didAddServices(adapter: "hci0"), in: &events)
                #expect(await bluetoothd.applications.map(\.0.adapter) == [Bluetoothd.adapter])
                try await bluetoothd.subscribe(to: level.uuid.full)
                await expect(.didSubscribe(level.id), in: &events)
                #expect(manager.updateValue([1], for: level.id) == .queued)
            }
        }
    }
}
