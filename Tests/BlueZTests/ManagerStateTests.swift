import BlueZ
import OkaeriBluetooth
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
