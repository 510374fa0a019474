import Bluetooth
import DaemonTestSupport
import FoundationEssentials
import Plumbing
import RegionMonitoring
import TestSupport
import Testing

@testable import Presence

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
        func wake() {}
        func perform(_ work: @escaping @Sendable () -> Void) { work() }
    }

    private func level(_ percent: UInt8, at second: Double) -> BeaconBattery {
        BeaconBattery(
            identity: home, percent: percent, source: .advertised, received: Instant(nanoseconds: nanoseconds(second)))
    }

    @Test func `A restart keeps the level and the time of its reception`() throws {
        let before = Source(wall: evening, monotonic: nanoseconds(1000))
        let memory = BatteryMemory([level(14, at: 990)], before)
        #expect(memory.batteries?.map(\.time) == [evening / 1_000_000_000 - 10])
        let after = Source(wall: evening + nanoseconds(60), monotonic: nanoseconds(20))
        #expect(memory.levels(after) == [level(14, at: -50)])
        #expect(BatteryMemory([], before).batteries == nil)
    }

    @Test func `After the clock was set back a level counts as new`() {
        let memory = BatteryMemory([level(14, at: 990)], Source(wall: evening, monotonic: nanoseconds(1000)))
        let after = Source(wall: evening - nanoseconds(86_400), monotonic: nanoseconds(20))
        #expect(memory.levels(after) == [level(14, at: 20)])
    }

    @Test func `The same level again is worth no write, another one is`() {
        let source = Source(wall: evening, monotonic: nanoseconds(1000))
        let memory = BatteryMemory([level(14, at: 10)], source)
        #expect(memory.comparable == BatteryMemory([level(14, at: 900)], source).comparable)
        #expect(memory.comparable != BatteryMemory([level(13, at: 10)], source).comparable)
    }

    @Test(arguments: ["percent\":101", "beacon\":\"home"])
    func `A damaged level is rejected`(damage: String) throws {
        let member = #"{"beacon":"\#(home)","percent":50,"source":"advertised","time":1}"#
        let text =
            damage.hasPrefix("percent")
            ? member.replacing("percent\":50", with: damage)
            : member.replacing("beacon\":\"\(home)", with: damage)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(BatteryMemory.self, from: Data(#"{"batteries":[\#(text)]}"#.utf8))
        }
        let whole = try JSONDecoder().decode(BatteryMemory.self, from: Data(#"{"batteries":[\#(member)]}"#.utf8))
        #expect(whole.batteries?.count == 1)
    }
}
