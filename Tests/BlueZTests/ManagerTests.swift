import BlueZ
import OkaeriTestSupport
import Testing

extension OnTheBus {
    /// The life of a central and its state, against a simulated bluetoothd.
    @Suite struct ManagerTests: Sendable {
        private let bench: BlueZBench

        init() async throws {
            bench = try await BlueZBench()
            try bench.start()
        }

        @Test func `a manager touches nothing before its first use, and follows bluetoothd from then on`() async throws
        {
            let central = CentralManager(bus: bench.address)
            #expect(!central.isScanning)
            #expect(try bench.calls.isEmpty)
            #expect(central.state == .unknown)
            for await state in central.states where state == .poweredOn { break }
            #expect(try bench.count(of: "GetManagedObjects") == 1)
            central.stop()
        }

        @Test func `each access to the states is a reader of its own, which begins with the present one`() async throws
        {
            try await withCentralManager(bus: bench.address) { central in
                for await state in central.states where state == .poweredOn { break }
                var (first, second) = (central.states.makeAsyncIterator(), central.states.makeAsyncIterator())
                #expect(await first.next() == .poweredOn)
                #expect(await second.next() == .poweredOn)
                try bench.perform("adapter", ["name": "hci0", "powered": false])
                #expect(await first.next() == .poweredOff)
                #expect(await second.next() == .poweredOff)
            }
        }

        @Test func `the authorization is known when bluetoothd has answered, with the obstacle`() async throws {
            try await withCentralManager(bus: bench.address) { central in
                #expect(central.authorization == .notDetermined)
                #expect(await central.authorize() == .authorized)
                #expect(central.obstacle == nil)
                try bench.perform("unplug", ["name": "hci0"])
                for await state in central.states where state == .unsupported { break }
                #expect(await central.authorize() == .restricted)
                #expect(central.obstacle == .noAdapter(nil))
            }
            try bench.perform("deny")
            await withCentralManager(bus: bench.address) { central in
                #expect(await central.authorize() == .denied)
                guard case .notPermitted = central.obstacle else {
                    Issue.record("no obstacle")
                    return
                }
            }
            await withCentralManager(bus: "unix:path=/nowhere") { central in
                #expect(await central.authorize() == .restricted)
                guard case .noBus = central.obstacle else {
                    Issue.record("no obstacle")
                    return
                }
            }
        }

        @Test func `a manager scans from the request of a scan to its end`() async throws {
            try bench.lamp()
            try await withCentralManager(bus: bench.address) { central in
                #expect(!central.isScanning)
                for try await _ in central.scanForPeripherals() {
                    try await bench.wait { _ in central.isScanning }
                    break
                }
                try await bench.wait { _ in !central.isScanning }
            }
        }

        @Test func `a stopped manager ends its sequences, and does nothing more`() async throws {
            let central = CentralManager(bus: bench.address)
            for await state in central.states where state == .poweredOn { break }
            let reading = Task {
                for await _ in central.states {}
                for try await _ in central.scanForPeripherals() {}
                for await _ in central.connections(to: .address(Lamp.address)) {}
            }
            central.stop()
            try await reading.value
            #expect(await central.authorize() == .notDetermined)
            #expect(await error { _ = try await central.knownPeripherals() } == .cancelled)
        }

        @Test func `a manager that is released ends its scan`() async throws {
            var central: CentralManager? = CentralManager(bus: bench.address)
            _ = await central?.authorize()
            var scan = central?.scanForPeripherals()
            try await bench.wait { try $0.count(of: "StartDiscovery") == 1 }
            weak let released = central
            (central, scan) = (nil, nil)
            #expect(scan == nil)
            try await bench.wait { _ in released == nil }
        }

        @Test func `a failure of the body ends the manager`() async throws {
            struct Failure: Error {}
            var kept: CentralManager?
            do throws(Failure) {
                try await withCentralManager(bus: bench.address) { central throws(Failure) -> Void in
                    kept = central
                    throw Failure()
                }
            } catch {
                #expect(await kept?.authorize() == .notDetermined)
            }
        }

        // MARK: Connections that are kept

        @Test(.timeLimit(.minutes(2)))
        func `a peripheral that refuses is announced once, and its connection later`() async throws {
            try bench.lamp()
            let refusal: [String: Any] = [
                "method": "Connect", "error": "org.bluez.Error.AuthenticationFailed",
                "message": "Authentication\nFailed",
                "times": 6,
            ]
            try bench.perform("behave", refusal)
            try await withCentralManager(bus: bench.address) { central in
                var events = central.connections(to: .service(Lamp.battery)).makeAsyncIterator()
                let reason = CentralError.connectionFailed(address: Lamp.address, reason: "Authentication Failed")
                #expect(
                    await events.next() == .didFailToConnect(address: Lamp.address, name: "lamp", reason: reason))
                #expect(await events.next() == .didConnect(address: Lamp.address, name: "lamp"))
                #expect(try bench.count(of: "Connect") == 7, "it has failed twice, with three attempts each")
                try bench.perform(
                    "lose", ["address": Lamp.address, "reason": "org.bluez.Reason.Suspend", "message": ""])
                guard case .didDisconnect(_, _, let reason) = await events.next() else {
                    Issue.record("no disconnection")
                    return
                }
                #expect(reason?.kind == .suspend)
            }
        }
    }
}
