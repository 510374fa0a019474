import HCI
import Testing

@testable import OkaeriEvents

/// The times at which people are notified that Bluetooth does not work.
struct BluetoothAlertTests {
    private var alert = BluetoothAlert()
    private let start = BluetoothAlert.Instant.now

    private static func update(_ state: BluetoothState) -> AdapterUpdate {
        AdapterUpdate(state: state, adapter: "hci0", reason: "it is \(state.rawValue)")
    }

    private mutating func update(_ state: BluetoothState, at seconds: Int) -> BluetoothAlert.Action? {
        alert.updated(Self.update(state), at: start + .seconds(seconds))
    }

    private mutating func advance(to seconds: Int) -> BluetoothAlert.Action? {
        alert.advanced(to: start + .seconds(seconds))
    }

    private var deadline: Int? { alert.deadline.map { Int(start.duration(to: $0).components.seconds) } }

    @Test(arguments: [BluetoothState.poweredOff, .unauthorized, .unsupported])
    mutating func `Bluetooth that is off at the start is an alert after ten seconds`(state: BluetoothState) {
        #expect(update(state, at: 0) == nil && deadline == 10)
        #expect(advance(to: 9) == nil)
        #expect(advance(to: 10) == .alert(Self.update(state)))
        #expect(deadline == nil && advance(to: 20_000) == nil, "the same fault is reported once")
        #expect(update(.poweredOn, at: 20_001) == .withdraw)
    }

    @Test mutating func `a short interruption is not an alert`() {
        _ = update(.poweredOn, at: 0)
        _ = update(.poweredOff, at: 1)
        #expect(update(.resetting, at: 3) == nil && deadline == nil)
        #expect(update(.poweredOn, at: 9) == nil && deadline == nil)
        #expect(advance(to: 100) == nil)
    }

    @Test mutating func `the alert waits while the adapter is on its way back, and follows when it is off again`() {
        _ = update(.poweredOff, at: 0)
        _ = update(.resetting, at: 9)
        #expect(advance(to: 60) == nil)
        #expect(update(.unsupported, at: 61) == .alert(Self.update(.unsupported)))
    }

    @Test mutating func `an adapter that flaps causes one alert an hour`() {
        var alerts: [Int] = []
        for second in stride(from: 0, to: 10_800, by: 30) {
            if case .alert? = update(.poweredOff, at: second) { alerts.append(second) }
            if case .alert? = advance(to: second + 15) { alerts.append(second + 15) }
            #expect(update(.poweredOn, at: second + 20) != .alert(Self.update(.poweredOff)))
        }
        #expect(alerts == [15, 3615, 7215])
    }

    @Test mutating func `a fault that lasts is reported when the hour is over`() {
        _ = update(.poweredOff, at: 0)
        _ = advance(to: 10)
        _ = update(.poweredOn, at: 60)
        #expect(update(.poweredOff, at: 100) == nil && deadline == 3610)
        #expect(advance(to: 3610) == .alert(Self.update(.poweredOff)))
    }

    @Test func `both languages name the reason and the remedy`() {
        let off = AdapterUpdate(state: .poweredOff, adapter: "hci0", reason: "hci0 is switched off; run `x`\u{202E}")
        #expect(
            Language.english.bluetoothReason(off)
                == "No beacon is received, because hci0 is switched off; run `x`\u{FFFD}")
        #expect(Language.japanese.bluetoothReason(off).contains("`sudo okaeri bluetooth on`"))
        for state in [BluetoothState.unauthorized, .unsupported] {
            #expect(Language.japanese.bluetoothReason(Self.update(state)).contains("`sudo okaeri doctor`"))
        }
        #expect(Language.japanese.bluetoothTitle(on: "pi") == "pi：Bluetooth が使えません")
    }
}
