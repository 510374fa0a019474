import BlueZ
import Bluetooth
import Testing

@Suite struct ManagerStateTests {
    @Test func `a program that uses both libraries reads the same words from both`() {
        #expect(ManagerState.allCases.map(\.rawValue) == BluetoothState.allCases.map(\.rawValue))
    }
}
