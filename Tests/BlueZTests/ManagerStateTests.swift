import BlueZ
import Bluetooth
import Testing

@Suite struct ManagerStateTests {
    @Test func `both libraries have the same names of states`() {
        #expect(ManagerState.allCases.map(\.rawValue) == BluetoothState.allCases.map(\.rawValue))
    }
}
