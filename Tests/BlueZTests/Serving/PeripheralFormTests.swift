import OkaeriTestSupport
import Testing

@testable import BlueZ

extension OnTheBus {
    /// The life of a peripheral and its state, against a simulated bluetoothd.
    @Suite struct PeripheralFormTests {
        private let bench: BlueZBench
        private let beacon = Advertisement(.broadcast, manufacturerData: [0x004C: [2, 21]])

        init() async throws {
            bench = try await BlueZBench()
            try bench.start()
        }

        @Test func `a peripheral touches nothing before its first use, and follows bluetoothd from then on`()
            async throws
        {
            let manager = PeripheralManager(bus: bench.address)
            manager.stopAdvertising()
            manager.removeAllServices()
            #expect(!manager.isAdvertising)
            #expect(
                manager.updateValue([1], for: MutableCharacteristic(BluetoothUUID(1), properties: []).id) == .notServed)
            #expect(try bench.calls.isEmpty)
            #expect(manager.state == .unknown)
            for await state in manager.states where state == .poweredOn { break }
            #expect(manager.state == .poweredOn)
            #expect(try bench.count(of: "GetManagedObjects") == 1)
            manager.stop()
        }

        @Test func `each access to the states is a reader of its own, which begins with the present one`() async throws
        {
            try await withPeripheralManager(bus: bench.address) { manager in
                for await state in manager.states where state == .poweredOn { break }
                var (first, second) = (manager.states.makeAsyncIterator(), manager.states.makeAsyncIterator())
                #expect(await first.next() == .poweredOn)
                #expect(await second.next() == .poweredOn)
                try bench.perform("adapter", ["name": "hci0", "powered": false])
                #expect(await first.next() == .poweredOff)
                #expect(await second.next() == .poweredOff)
            }
        }

        @Test func `the authorization is known when bluetoothd has answered, with the obstacle`() async throws {
            try await withPeripheralManager(bus: bench.address) { manager in
                #expect(manager.authorization == .notDetermined)
                #expect(await manager.authorize() == .authorized)
                #expect(manager.obstacle == nil)
                try bench.perform("unplug", ["name": "hci0"])
                for await state in manager.states where state == .unsupported { break }
                #expect(await manager.authorize() == .restricted)
                guard case .unavailable(.unsupported, let reason) = manager.obstacle else {
                    Issue.record("no obstacle")
                    return
                }
                #expect(reason.contains("no Bluetooth adapter"))
            }
            try bench.perform("deny")
            await withPeripheralManager(bus: bench.address) { manager in
                #expect(await manager.authorize() == .denied)
                guard case .unavailable(.unauthorized, _) = manager.obstacle else {
                    Issue.record("no obstacle")
                    return
                }
            }
        }

        @Test func `a stopped peripheral ends its sequences, and refuses each request`() async throws {
            let manager = PeripheralManager(bus: bench.address)
            for await state in manager.states where state == .poweredOn { break }
            let reading = Task {
                for await _ in manager.states {}
                for await _ in manager.events {}
            }
            manager.stop()
            await reading.value
            #expect(await manager.authorize() == .notDetermined)
            #expect(throws: PeripheralError.stopped) {
                try manager.add(MutableService(BluetoothUUID(0x180F), characteristics: []))
            }
            #expect(throws: AdvertisementError.notAccepted(reason: PeripheralError.stopped.description)) {
                try manager.startAdvertising(beacon)
            }
            let unused = PeripheralManager(bus: bench.address)
            unused.stop()
            for await _ in unused.events { Issue.record("an event of a manager that never ran") }
        }

        @Test func `a sequence holds the manager, and its end releases it`() async throws {
            var manager: PeripheralManager? = PeripheralManager(bus: bench.address)
            weak let released = manager
            var events = manager?.events
            manager = nil
            #expect(released != nil)
            let isRunning = await released?.authorize()
            #expect(isRunning == .authorized)
            events = nil
            #expect(events == nil)
            try await bench.wait { _ in released == nil }
        }

        @Test func `a failure of the body ends the peripheral`() async throws {
            struct Failure: Error {}
            var kept: PeripheralManager?
            do throws(Failure) {
                try await withPeripheralManager(bus: bench.address) { manager throws(Failure) -> Void in
                    kept = manager
                    throw Failure()
                }
            } catch {
                #expect(await kept?.authorize() == .notDetermined)
            }
        }
    }
}
