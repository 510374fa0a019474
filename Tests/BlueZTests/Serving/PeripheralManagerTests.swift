import OkaeriDBus
import OkaeriTestSupport
import Testing

@testable import BlueZ

extension OnTheBus {
    /// Over a simulated bluetoothd on a bus of its own.
    @Suite struct PeripheralManagerTests {
        private let daemon: BusDaemon
        private let beacon = Advertisement(.broadcast, manufacturerData: [0x004C: [2, 21]])

        init() throws {
            daemon = try BusDaemon()
        }

        /// Runs a manager for as long as the body takes.
        private func use(
            adapter: String? = nil, fallback: Fallback? = nil,
            _ body: (PeripheralManager, inout AsyncStream<PeripheralManager.Event>.Iterator) async throws -> Void
        ) async throws {
            try await withPeripheralManager(adapter: adapter, bus: daemon.address, fallback: fallback) { manager in
                var events = manager.events.makeAsyncIterator()
                try await body(manager, &events)
            }
        }

        private func expect(
            _ event: PeripheralManager.Event, in events: inout AsyncStream<PeripheralManager.Event>.Iterator
        ) async {
            while let next = await events.next() { if next == event { return } }
            Issue.record("\(event) did not come")
        }

        private func expect(
            state: ManagerState, in events: inout AsyncStream<PeripheralManager.Event>.Iterator
        ) async {
            while let next = await events.next() {
                if case .didUpdateState(state, _) = next { return }
            }
            Issue.record("\(state) did not come")
        }

        private let advertising = PeripheralManager.Event.didStartAdvertising(adapter: "hci0")

        @Test func `what is advertised reaches bluetoothd, and is ended with the manager`() async throws {
            let bluetoothd = try await Bluetoothd(daemon.address)
            try await use { manager, events in
                try manager.startAdvertising(beacon)
                await expect(advertising, in: &events)
                #expect(manager.isAdvertising)
                let properties = await bluetoothd.advertisements.first?.1
                #expect(properties?["Type"] == .string("broadcast"))
                #expect(properties?["ManufacturerData"] != nil)
                manager.stopAdvertising()
                try await bluetoothd.registrations.wait(until: "nothing is advertised") { $0.advertisements.isEmpty }
                try await eventually("the advertisement has ended") { !manager.isAdvertising }
            }
        }

        @Test func `a bluetoothd that restarts is given all of it again`() async throws {
            let first = try await Bluetoothd(daemon.address)
            try await use { manager, events in
                try manager.startAdvertising(beacon)
                try manager.add(.sample())
                await expect(advertising, in: &events)
                await first.end()
                await expect(state: .resetting, in: &events)
                let second = try await Bluetoothd(daemon.address)
                await expect(advertising, in: &events)
                #expect(await second.advertisements.count == 1)
                #expect(await second.applications.count == 1)
            }
        }

        @Test func `switched off and on the advertisement is registered anew, and the services stay`() async throws {
            let bluetoothd = try await Bluetoothd(daemon.address)
            try await use { manager, events in
                try manager.add(.sample())
                try manager.startAdvertising(beacon)
                await expect(advertising, in: &events)
                try await bluetoothd.power(false)
                await expect(state: .poweredOff, in: &events)
                try await eventually("the advertisement has ended") { !manager.isAdvertising }
                try await bluetoothd.power(true)
                await expect(advertising, in: &events)
                #expect(await bluetoothd.advertisements.count == 1)
                #expect(await bluetoothd.applications.count == 1)
                #expect(await !bluetoothd.calls.contains("UnregisterApplication"))
            }
        }

        @Test func `an adapter that is unplugged and back is given all of it again`() async throws {
            let bluetoothd = try await Bluetoothd(daemon.address)
            try await use { manager, events in
                try manager.add(.sample())
                try manager.startAdvertising(beacon)
                await expect(advertising, in: &events)
                try await bluetoothd.unplug()
                await expect(state: .unsupported, in: &events)
                try await bluetoothd.plugIn()
                await expect(advertising, in: &events)
                #expect(await bluetoothd.applications.count == 1)
            }
        }

        @Test func `a central that connects leaves the service to be found by others`() async throws {
            let bluetoothd = try await Bluetoothd(daemon.address)
            try await use { manager, events in
                try manager.startAdvertising(Advertisement(.connectable))
                await expect(advertising, in: &events)
                let first = await bluetoothd.advertisements.first?.0
                try await bluetoothd.connect("AA_00_00_00_00_01")
                try await bluetoothd.registrations.wait(until: "another advertisement is registered") {
                    ![first, nil].contains($0.advertisements.first?.0)
                }
                #expect(await bluetoothd.advertisements.count == 1)
            }
        }

        @Test func `a beacon is left alone when something connects`() async throws {
            let bluetoothd = try await Bluetoothd(daemon.address)
            try await use { manager, events in
                try manager.startAdvertising(beacon)
                await expect(advertising, in: &events)
                let beacon = await bluetoothd.advertisements.first?.0
                try await bluetoothd.connect("AA_00_00_00_00_01")
                // What comes after it: the manager has seen the connection before.
                try manager.add(.sample())
                await expect(.didAddServices(adapter: "hci0"), in: &events)
                #expect(await bluetoothd.advertisements.first?.0 == beacon)
            }
        }

        @Test func `an advertisement that bluetoothd ends by itself is registered again`() async throws {
            let bluetoothd = try await Bluetoothd(daemon.address)
            try await use { manager, events in
                try manager.startAdvertising(beacon)
                await expect(advertising, in: &events)
                try await bluetoothd.release()
                await expect(advertising, in: &events)
                #expect(await bluetoothd.advertisements.count == 1)
            }
        }

        @Test func `a refusal is reported and tried again`() async throws {
            let bluetoothd = try await Bluetoothd(daemon.address)
            await bluetoothd.refuse("org.bluez.Error.NotPermitted")
            try await use { manager, events in
                try manager.startAdvertising(beacon)
                await expect(
                    .didFail(reason: "hci0 advertises as much as it can already, for other programs"), in: &events)
                await expect(advertising, in: &events)
            }
        }

        @Test func `an advertisement that bluetoothd cannot register is sent without it, and ended with the manager`()
            async throws
        {
            let bluetoothd = try await Bluetoothd(daemon.address)
            let fallback = Fallback()
            await bluetoothd.refuse("org.bluez.Error.Failed")
            try await use(fallback: fallback) { manager, events in
                try manager.startAdvertising(beacon)
                await expect(advertising, in: &events)
                #expect(fallback.log.value == ["hci0 \(beacon.data)"])
                #expect(await bluetoothd.advertisements.isEmpty)
                // Another advertisement, which bluetoothd takes.
                try manager.startAdvertising(Advertisement(.connectable))
                try await bluetoothd.registrations.wait(until: "it is registered") { $0.advertisements.count == 1 }
                #expect(fallback.log.value.dropFirst() == ["stop"])
                await bluetoothd.refuse("org.bluez.Error.InvalidArguments")
                try manager.startAdvertising(beacon)
                try await fallback.log.wait(until: "it is advertised again") { $0.count == 3 }
            }
            #expect(fallback.log.value.last == "stop")
        }

        @Test func `a refusal of both roads names both reasons`() async throws {
            let bluetoothd = try await Bluetoothd(daemon.address)
            await bluetoothd.refuse("org.bluez.Error.Failed")
            try await use(fallback: Fallback(reason: "it needs CAP_NET_ADMIN")) { manager, events in
                try manager.startAdvertising(beacon)
                while let event = await events.next() {
                    guard case .didFail(let reason) = event else { continue }
                    #expect(reason.contains("because") && reason.contains("it needs CAP_NET_ADMIN"))
                    return
                }
            }
        }

        @Test func `without bluetoothd, without an adapter and without power the reason names what is missing`()
            async throws
        {
            try await use { _, events in
                await expect(state: .unsupported, in: &events)
                let bluetoothd = try await Bluetoothd(daemon.address, isPowered: false, hasAdapter: false)
                await expect(state: .unsupported, in: &events)
                try await bluetoothd.plugIn()
                await expect(state: .poweredOff, in: &events)
                try await bluetoothd.power(true)
                await expect(state: .poweredOn, in: &events)
            }
        }

        @Test func `an adapter of another name is not one`() async throws {
            let bluetoothd = try await Bluetoothd(daemon.address)
            try await use(adapter: "hci1") { manager, events in
                try manager.startAdvertising(beacon)
                await expect(state: .unsupported, in: &events)
                #expect(await bluetoothd.calls.isEmpty)
            }
        }
    }
}

/// Records what is advertised without bluetoothd.
private struct Fallback: AdvertisingFallback {
    let log = Watched<[String]>([])
    var reason: String?

    func start(_ advertisement: Advertisement, adapter: String) async throws(AdvertisementError) {
        if let reason { throw .notAccepted(reason: reason) }
        log.change { $0.append("\(adapter) \(advertisement.data)") }
    }

    func stop() async { log.change { $0.append("stop") } }
}
