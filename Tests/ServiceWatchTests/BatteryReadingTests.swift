import BlueZ
import IBeacon
import OkaeriTestSupport
import RegionMonitoring
import Synchronization
import Testing

@testable import OkaeriAutomation

/// Readings of a battery level against a simulated bluetoothd.
@Suite(.serialized, .timeLimit(.minutes(5))) struct BatteryReadingTests: Sendable {
    private let bench: BlueZBench
    private let log = LogBook()
    private let levels = Watched<[UInt8]>([])

    private static let beacon = BatteryBeacon(
        identity: BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 3, minor: 4), region: "keys",
        address: Lamp.address)

    init() async throws {
        bench = try await BlueZBench()
        try bench.start()
    }

    /// Runs the service for as long as `body` takes.
    ///
    /// - Parameter isRepeated: Whether the beacon is due until its level is read, because bluetoothd may be late; or once.
    private func run(isRepeated: Bool = true, _ body: () async throws -> Void) async throws {
        let isFirst = Mutex(true)
        let next = { @Sendable [levels] in
            let wasFirst = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            return wasFirst || isRepeated && levels.value.isEmpty ? Self.beacon : nil
        }
        let reading = BatteryReading(
            interval: .milliseconds(10), bus: bench.address, adapter: { nil }, next: next,
            read: { [levels] identity, percent in
                if identity == Self.beacon.identity { levels.change { $0.append(percent) } }
            }, logger: log.logger)
        try await running({ try await reading.run() }, body)
    }

    @Test func `The level is read once, and the connection ends`() async throws {
        try bench.lamp()
        try await run {
            try await levels.wait(until: "the level is read") { $0 == [100] }
            try await bench.wait { try $0.count(of: "Disconnect") == 1 }
        }
        #expect(levels.value == [100])
        #expect(try bench.count(of: "Connect") == 1 && bench.count(of: "ReadValue") == 1)
    }

    @Test func `The connection of another program stays`() async throws {
        try bench.lamp()
        try await withCentralManager(bus: bench.address) { _ = try await $0.connect(Lamp.address) }
        try await run { try await levels.wait(until: "the level is read") { $0 == [100] } }
        #expect(try bench.count(of: "Disconnect") == 0)
    }

    @Test func `A value that is not a percentage is logged`() async throws {
        try bench.lamp(battery: "FF")
        try await run(isRepeated: false) {
            try await log.logged("the battery level of the beacon of \"keys\" was not read")
            try await bench.wait { try $0.count(of: "Disconnect") == 1 }
        }
        #expect(levels.value.isEmpty)
    }
}
