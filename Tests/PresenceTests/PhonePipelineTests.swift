import HCI
import IBeacon
import OkaeriBluetooth
import OkaeriPlumbing
import OkaeriTestSupport
import RegionMonitoring
import Testing

@testable import OkaeriPresence

struct PhonePipelineTests {
    private static let file = "/etc/okaeri/anna.irk"
    /// An iPhone that is locked and idle: Apple's data of type 0x16 alone.
    private static let locked: [UInt8] = [2, 1, 0x1A, 13, 0xFF, 0x4C, 0, 0x16, 8, 0, 1, 2, 3, 4, 5, 6, 7]

    private let key: IdentityResolvingKey
    private let identity: BluetoothAddress
    private let regions = [MonitoredRegion(identifier: "anna", RegionSign(.phone(file: file)))]

    init() throws {
        key = try #require(IdentityResolvingKey("ec0234a357c8ad05341010a60a397d9b"))
        identity = try #require(BluetoothAddress("C0:11:22:33:44:55"))
    }

    private func address(_ number: UInt32) -> BluetoothAddress {
        let random = 0x40_0000 | number
        let value = UInt64(random) << 24 | UInt64(AES128(key).hash(random))
        return BluetoothAddress(low: UInt32(truncatingIfNeeded: value), high: UInt16(truncatingIfNeeded: value >> 32))
    }

    private func pipeline() -> PresencePipeline {
        var monitor = RegionMonitor(regions, at: Instant(nanoseconds: 0))
        _ = monitor.adapterRecovered(at: Instant(nanoseconds: 0))
        var pipeline = PresencePipeline(monitor)
        pipeline.phones = AddressResolver([DeviceIdentity(key: key, address: identity)])
        return pipeline
    }

    private func packet(
        _ address: BluetoothAddress, _ type: BluetoothAddressType = .random, _ data: [UInt8] = locked
    ) throws -> [UInt8] {
        let report = AdvertisingReport(address: address, addressType: type, rssi: -70, data: data)
        return Array(try HCIEvent.advertisingReports([report]).packet().dropFirst())
    }

    @Test func `a locked phone is received under each of its addresses`() throws {
        var pipeline = pipeline()
        for number in 1...5 as ClosedRange<UInt32> {
            let packet = try packet(address(number))
            let actions = pipeline.received(event: packet.span.bytes, at: Instant(nanoseconds: Int64(number)))
            #expect(actions.count == (number == 2 ? 2 : 0))
        }
        // The first one alone is not a proof.
        #expect(pipeline.counters == .init(reports: 5, iBeacons: 0, phones: 4, malformed: 0))
        #expect(pipeline.counters.others == 1)
        #expect(pipeline.monitor.regionSnapshots[0].beacon?.count == 4)
        #expect(pipeline.monitor.regionSnapshots[0].beacon?.rssi == -70)
        #expect(pipeline.monitor.air.devices == 1)
    }

    @Test func `a phone with one address arrives with the third advertisement, two seconds after the first`() throws {
        var pipeline = pipeline()
        let packet = try packet(address(1))
        for tick in 0...4 as ClosedRange<Int64> {
            let actions = pipeline.received(event: packet.span.bytes, at: Instant(nanoseconds: tick * 500_000_000))
            #expect(actions.count == (tick == 4 ? 2 : 0))
        }
    }

    @Test func `another phone is one of the other devices in range`() throws {
        var pipeline = pipeline()
        let other = BluetoothAddress(low: 0x9400_0000, high: 0x7081)
        let packet = try packet(other)
        #expect(pipeline.received(event: packet.span.bytes, at: Instant(nanoseconds: 1)).isEmpty)
        #expect(pipeline.counters.others == 1)
        #expect(pipeline.monitor.air.devices == 1)
    }

    @Test(arguments: [BluetoothAddressType.publicIdentity, .randomIdentity])
    func `an address that the controller resolved counts`(type: BluetoothAddressType) throws {
        var pipeline = pipeline()
        let packet = try packet(identity, type)
        for second in 0..<3 as Range<Int64> {
            _ = pipeline.received(event: packet.span.bytes, at: Instant(nanoseconds: second * 1_000_000_000))
        }
        #expect(pipeline.monitor.regionSnapshots[0].state == .inside)
    }

    @Test func `an iBeacon that a phone sends counts beside the phone`() throws {
        let uuid = BeaconUUID(high: 1, low: 2)
        let beacons = MonitoredRegion(BeaconRegion(identifier: "app", constraint: .uuid(uuid)))
        var pipeline = pipeline()
        _ = pipeline.monitor.regionsReplaced(with: regions + [beacons], at: Instant(nanoseconds: 0))
        let frame = IBeaconFrame(identity: BeaconIdentity(uuid: uuid, major: 1, minor: 2), measuredPower: -59)
        let packet = try packet(address(1), .random, frame.advertisingData)
        for second in 0..<3 as Range<Int64> {
            _ = pipeline.received(event: packet.span.bytes, at: Instant(nanoseconds: second * 1_000_000_000))
        }
        #expect(pipeline.monitor.regionSnapshots.map(\.state) == [.inside, .inside])
        #expect(pipeline.counters == .init(reports: 3, iBeacons: 3, phones: 0, malformed: 0))
    }

    @Test func `each sighting of a phone is passed on with its regions`() throws {
        var pipeline = pipeline()
        let seen = Watched<[BeaconSighting]>([])
        for number in 1...2 as ClosedRange<UInt32> {
            let packet = try packet(address(number))
            _ = pipeline.received(event: packet.span.bytes, at: Instant(nanoseconds: 1)) { sighting, regions, _ in
                #expect(regions == [0])
                seen.change { $0.append(sighting) }
            }
        }
        #expect(
            seen.value == [BeaconSighting(identity: BeaconIdentity(phone: Self.file), measuredPower: nil, rssi: -70)])
    }

    @Test func `new keys take effect at once`() throws {
        let driver = PresenceDriver(regions: regions, clock: WallClockAtZero(), publish: { _, _ in })
        driver.scannerWillStart(at: 0)
        driver.scannerDidChangeListening(.continuous, at: 0)
        let packets = try (1...2 as ClosedRange<UInt32>).map { try packet(address($0)) }
        func state(at time: Int64) -> RegionState {
            for packet in packets { _ = driver.scannerDidReceive(packet.span.bytes, at: time) }
            return driver.regionSnapshots[0].state
        }
        #expect(state(at: 1) == .unknown)
        driver.updateRegions(at: Instant(nanoseconds: 2), identities: [Self.file: DeviceIdentity(key: key)]) { _ in }
        #expect(state(at: 3) == .inside)
        #expect(driver.regions == regions)
    }
}

private struct WallClockAtZero: WallClock {
    func wallTime(of instant: Instant) -> Int64 { instant.nanoseconds }
    var now: Int64 { 0 }
}
