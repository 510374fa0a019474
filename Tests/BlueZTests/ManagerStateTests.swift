import BlueZ
import OkaeriBluetooth
import OkaeriTestSupport
import Testing

@Suite struct ManagerStateTests {
    @Test func `both libraries have the same names of states`() {
        #expect(ManagerState.allCases.map(\.rawValue) == BluetoothState.allCases.map(\.rawValue))
    }

    @Test func `each state of Bluetooth stands for an authorization`() {
        let expected: [ManagerState: ManagerAuthorization] = [
            .unknown: .notDetermined, .resetting: .restricted, .unsupported: .restricted, .unauthorized: .denied,
            .poweredOff: .restricted, .poweredOn: .authorized,
        ]
        for state in ManagerState.allCases { #expect(ManagerAuthorization(state) == expected[state]) }
    }
}

extension OnTheBus {
    @Suite struct AbsenceTests: Sendable {
        @Test func `without bluetoothd a central and a peripheral have the same state before it has run and after it`()
            async throws
        {
            let bench = try await BlueZBench()
            try await withCentralManager(bus: bench.address) { central in
                try await withPeripheralManager(bus: bench.address) { peripheral in
                    var (ofCentral, ofPeripheral) = (
                        central.states.makeAsyncIterator(), peripheral.states.makeAsyncIterator()
                    )
                    for state in [ManagerState.unsupported, .poweredOn, .resetting] {
                        if state == .poweredOn { try bench.start() }
                        if state == .resetting { try bench.perform("stop") }
                        let passing: Set<ManagerState> = state == .resetting ? [.unknown] : [.unknown, .unsupported]
                        var reached: [ManagerState?] = [nil, nil]
                        while reached[0] != state, let next = await ofCentral.next() {
                            reached[0] = next
                            #expect(next == state || passing.contains(next))
                        }
                        while reached[1] != state, let next = await ofPeripheral.next() {
                            reached[1] = next
                            #expect(next == state || passing.contains(next))
                        }
                        #expect(reached == [state, state])
                    }
                }
            }
        }
    }
}
