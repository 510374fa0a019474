import HCI
import Testing

@Suite struct BluetoothStateTests {
    @Test(arguments: [
        (BluetoothState.unknown, AuthorizationStatus.notDetermined), (.resetting, .notDetermined),
        (.unsupported, .restricted), (.unauthorized, .denied), (.poweredOff, .authorized), (.poweredOn, .authorized),
    ])
    func `the authorization follows from the state`(_ state: BluetoothState, _ status: AuthorizationStatus) {
        #expect(AuthorizationStatus(state) == status)
        #expect(AdapterUpdate(state: state, adapter: nil, reason: "").authorization == status)
    }

    @Test func `each cause has its own description`() {
        let descriptions = AdapterUpdate.Cause.allCases.map(\.description)
        #expect(Set(descriptions).count == descriptions.count)
    }
}
