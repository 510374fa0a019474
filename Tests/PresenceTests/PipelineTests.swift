import HCI
import IBeacon
import OkaeriDaemonTestSupport
import OkaeriTestSupport
import RegionMonitoring
import Synchronization
import Testing

@testable import OkaeriPresence

@Suite struct PipelineTests {
    private func pipeline() -> PresencePipeline {
        var monitor = RegionMonitor([monitored()], at: Instant(nanoseconds: 0))
        _ = monitor.adapterRecovered(at: Instant(nanoseconds: 0))
        return PresencePipeline(monitor)
    }

    private func report(_ data: [UInt8]) throws -> AdvertisingReport {
        let address = try #require(BluetoothAddress("01:02:03:04:05:06"))
        return AdvertisingReport(address: address, rssi: -70, data: data)
    }

    /// From the event code on.
    private func bytes(_ event: HCIEvent) throws -> [UInt8] { Array(try event.packet().dropFirst()) }

    @Test func `a beacon in any report of an event is seen`() throws {
        let own = IBeaconFrame(identity: home, measuredPower: -59).advertisingData
        let other = IBeaconFrame(identity: neighbour, measuredPower: -59).advertisingData
        var pipeline = pipeline()
        let event = try HCIEvent.advertisingReports(try [other, [], own].map(report))
        let packet = try bytes(event)
        let actions = pipeline.received(event: packet.span.bytes, at: Instant(nanoseconds: 1))
        #expect(actions.count == 2)
        #expect(pipeline.counters == .init(reports: 3, iBeacons: 2, malformed: 0))
    }

    @Test func `a beacon without a measured power enters its region at an unknown distance`() throws {
        var pipeline = pipeline()
        let data = IBeaconFrame(identity: home, measuredPower: nil).advertisingData
        let packet = try bytes(HCIEvent.advertisingReports([report(data)]))
        #expect(packet.count == event().count - 1)
        _ = pipeline.received(event: packet.span.bytes, at: Instant(nanoseconds: 1))
        let region = pipeline.monitor.regionSnapshots[0]
        #expect(region.state == .inside && region.beacon?.measuredPower == nil)
        #expect(region.beacon?.accuracy == -1)
    }

    @Test(arguments: [0, -128, 127] as [Int8]) func `an unknown signal does not reach a threshold`(rssi: Int8) {
        var region = monitored()
        (region.enterRSSI, region.exitRSSI) = (-60, -70)
        var monitor = RegionMonitor([region, monitored(identifier: "any")], at: Instant(nanoseconds: 0))
        _ = monitor.adapterRecovered(at: Instant(nanoseconds: 0))
        var pipeline = PresencePipeline(monitor)
        for second in 1...5 as ClosedRange<Int64> {
            let packet = event(rssi: rssi)
            _ = pipeline.received(event: packet.span.bytes, at: Instant(nanoseconds: second * 1_000_000_000))
        }
        let regions = pipeline.monitor.regionSnapshots
        #expect(regions.map(\.state) == [.unknown, .inside])
        #expect(regions[1].beacon?.rssi == nil && regions[1].beacon?.signal == nil && regions[1].beacon?.accuracy == -1)
    }

    @Test func `all beacons of an extended advertisement are received`() throws {
        let identities = [neighbour, home]
        let data = identities.flatMap { IBeaconFrame(identity: $0, measuredPower: -59).advertisingData }
        let address = try #require(BluetoothAddress("01:02:03:04:05:06"))
        let report = AdvertisingReport(address: address, properties: [], rssi: -70, data: data)
        let packet = try bytes(HCIEvent.extendedAdvertisingReports([report]))
        var pipeline = pipeline()
        let tapped = Mutex<[Reception.Sender]>([])
        pipeline.tap = { reception in
            tapped.withLock { $0.append(reception.sender) }
            return nil
        }
        _ = pipeline.received(event: packet.span.bytes, at: Instant(nanoseconds: 1))
        #expect(pipeline.monitor.regionSnapshots[0].state == .inside)
        #expect(pipeline.monitor.beaconSnapshots(since: Instant(nanoseconds: 0)).count == 2)
        #expect(pipeline.counters == .init(reports: 1, iBeacons: 1, malformed: 0))
        #expect(tapped.withLock { $0 } == identities.map { .beacon($0, measuredPower: -59) })
    }

    @Test func `what is cut counts, and what stood before it too`() {
        var pipeline = pipeline()
        let whole = event()
        var two = whole + whole.dropFirst(4)
        two[1] = UInt8(two.count - 2)
        two[3] = 2
        let cut = Array(two.dropLast())
        _ = pipeline.received(event: cut.span.bytes, at: Instant(nanoseconds: 1))
        #expect(pipeline.counters == .init(reports: 1, iBeacons: 1, malformed: 1))
        #expect(pipeline.monitor.regionSnapshots[0].state == .inside)
    }

    @Test func `random events are ignored, and never a trap`() {
        var pipeline = pipeline()
        var generator = SeededGenerator(seed: 0x0CAE_1215)
        for _ in 0..<20_000 {
            var bytes = (0..<Int.random(in: 0...80, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            if bytes.count > 3 {
                bytes.replaceSubrange(0..<3, with: [0x3E, UInt8(bytes.count - 2), [2, 13][bytes.count % 2]])
            }
            _ = pipeline.received(event: bytes.span.bytes, at: Instant(nanoseconds: 1))
        }
        let counters = pipeline.counters
        #expect(counters.malformed > 0 && counters.malformed <= 20_000)
        #expect(counters.iBeacons <= counters.reports)
        #expect(pipeline.monitor.regionSnapshots[0].state == .unknown, "chance makes no beacon of ours")
    }
}
