import BlueZ
import OkaeriTestSupport
import Testing

extension OnTheBus {
    /// A system bus whose policy does not let this user call bluetoothd.
    @Suite(.timeLimit(.minutes(5))) struct AccessTests: Sendable {
        private let bench: BlueZBench

        init() async throws {
            bench = try await BlueZBench()
            try bench.start()
            try bench.perform("deny")
        }

        @Test func `a bus that refuses is not a bus that is lost`() async throws {
            try await withCentralManager(bus: bench.address) { central in
                for await state in central.states where state == .unauthorized { break }
                do {
                    _ = try await central.knownPeripherals()
                    Issue.record("a question was not expected")
                } catch CentralError.notPermitted(let reason) {
                    #expect(reason.contains("GetManagedObjects"))
                }
                #expect(central.state == .unauthorized)
                #expect(central.obstacle?.description.contains("sudo adduser $USER bluetooth") == true)
            }
        }

        @Test func `each try that is refused is not news, one that is not is`() async throws {
            try await withCentralManager(bus: bench.address) { central in
                var states = central.states.makeAsyncIterator()
                while let state = await states.next(), state != .unauthorized { #expect(state == .unknown) }
                try bench.perform("permit")
                #expect(await states.next() == .poweredOn)
                #expect(central.obstacle == nil)
            }
        }

        @Test func `a peripheral is unauthorized, too, and once`() async throws {
            let manager = PeripheralManager(bus: bench.address)
            var states: [ManagerState] = []
            for await event in manager.events {
                guard case .didUpdateState(let state, let reason) = event else { continue }
                states.append(state)
                if state == .unauthorized {
                    #expect(reason.contains("usermod"))
                    try bench.perform("permit")
                } else if state != .unknown {
                    break
                }
            }
            #expect(states.first == .unauthorized)
            #expect(states.count { $0 == .unauthorized } == 1)
        }
    }
}
