import FoundationEssentials
import OkaeriBluetooth
import OkaeriDaemonTestSupport
import OkaeriPlumbing
import OkaeriTestSupport
import RegionMonitoring
import Testing

@testable import OkaeriPresence

@Suite struct BatteryMemoryTests {
    private struct Source: PresenceSource {
        let wall, monotonic: Int64
        var name: String { "hci0" }
        var instant: Instant { Instant(nanoseconds: monotonic) }
        var now: Int64 { wall }
        func wallTime(of instant: Instant) -> Int64 { wall + instant.nanoseconds - monotonic }
        func run(_ delegate: some ScannerDelegate) throws -> Bool { true }
        func stop() {}
        func hold(_ isHeld: Bool) {}
        func wifiChanged(isUsed: Bool?) {}
        func deadlineDidChange() {}
        func wake() {}
        func perform(_ work: @escaping @Sendable () -> Void) { work() }
    }

    private func level(_ percent: UInt8, at second: Double) -> BeaconBattery {
        BeaconBattery(
            identity: home, percent: percent, source: .advertised, received: Instant(nanoseconds: nanoseconds(second)))
    }

    private func batteries(_ level: BeaconBattery, readAt second: Double? = nil) -> BeaconBatteries {
        var batteries = BeaconBatteries()
        batteries.levelReceived(level)
        if let second { batteries.readingBegan(home, at: Instant(nanoseconds: nanoseconds(second))) }
        return batteries
    }

    @Test func `A restart keeps the level and the time of its reception`() throws {
        let before = Source(wall: evening, monotonic: nanoseconds(1000))
        let memory = BatteryMemory(batteries(level(14, at: 990), readAt: 985), before)
        #expect(memory.batteries?.map(\.time) == [evening / 1_000_000_000 - 10])
        let after = Source(wall: evening + nanoseconds(60), monotonic: nanoseconds(20))
        #expect(memory.levels(after) == [level(14, at: -50)])
        #expect(memory.readings(after) == [home: Instant(nanoseconds: nanoseconds(-55))])
        #expect(BatteryMemory(BeaconBatteries(), before).batteries == nil)
    }

    @Test func `After the clock was set back a level counts as new`() {
        let memory = BatteryMemory(
            batteries(level(14, at: 990), readAt: 985), Source(wall: evening, monotonic: nanoseconds(1000)))
        let after = Source(wall: evening - nanoseconds(86_400), monotonic: nanoseconds(20))
        #expect(memory.levels(after) == [level(14, at: 20)])
        #expect(memory.readings(after) == [home: after.instant])
    }

    @Test func `The same level again is worth no write, another one is`() {
        let source = Source(wall: evening, monotonic: nanoseconds(1000))
        let memory = BatteryMemory(batteries(level(14, at: 10), readAt: 10), source)
        #expect(memory.comparable == BatteryMemory(batteries(level(14, at: 900), readAt: 11), source).comparable)
        #expect(memory.comparable != BatteryMemory(batteries(level(13, at: 10), readAt: 10), source).comparable)
    }

    @Test func `A first reading is written at once`() {
        let source = Source(wall: evening, monotonic: nanoseconds(1000))
        let before = BatteryMemory(batteries(level(14, at: 10)), source)
        #expect(BatteryMemory(batteries(level(14, at: 10), readAt: 10), source).comparable != before.comparable)
    }

    @Test(arguments: [
        #"{"batteries":[{"beacon":"\#(home)","percent":101,"source":"advertised","time":1}]}"#,
        #"{"batteries":[{"beacon":"\#(uuidText)","percent":50,"source":"advertised","time":1}]}"#,
        #"{"batteryReadings":[{"beacon":"keys","time":1}]}"#,
    ])
    func `A damaged level or reading is rejected`(text: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(BatteryMemory.self, from: Data(text.utf8))
        }
    }
}
