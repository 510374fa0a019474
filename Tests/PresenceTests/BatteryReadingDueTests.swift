import HCI
import IBeacon
import OkaeriBluetooth
import OkaeriDaemonTestSupport
import OkaeriTestSupport
import RegionMonitoring
import Testing

@testable import OkaeriPresence

/// The choice of the beacon whose battery level is read by a connection.
@Suite struct BatteryReadingDueTests {
    private struct Clock: WallClock {
        func wallTime(of instant: Instant) -> Int64 { instant.nanoseconds }
        var now: Int64 { 0 }
    }

    private static let day = 86_400.0

    private let driver: PresenceDriver

    init() { driver = Self.driver(.gatt) }

    private static func driver(_ battery: MonitoredRegion.Battery) -> PresenceDriver {
        var region = monitored()
        region.battery = battery
        let driver = PresenceDriver(
            regions: [region], clock: Clock(), handler: { _, _, _ in }, publish: { _, _ in })
        driver.scannerWillStart(at: 0)
        driver.scannerDidChangeListening(.continuous, at: 0)
        return driver
    }

    /// Receives the beacon once a second for five seconds: the filtered signal needs more than one.
    private func receive(
        until second: Double, rssi: Int8 = -70,
        _ properties: AdvertisingProperties = [.legacy, .connectable, .scannable],
        _ driver: PresenceDriver? = nil
    ) throws {
        for time in stride(from: second - 4, through: second, by: 1) {
            try receive(
                IBeaconFrame(identity: home, measuredPower: -59).advertisingData, at: time, rssi: rssi, properties,
                driver)
        }
    }

    private func receive(
        _ data: [UInt8], at second: Double, rssi: Int8 = -70, _ properties: AdvertisingProperties,
        _ driver: PresenceDriver? = nil
    ) throws {
        let address = try #require(BluetoothAddress("AC:23:3F:00:00:01"))
        let report = AdvertisingReport(address: address, properties: properties, rssi: rssi, data: data)
        let bytes = Array(try HCIEvent.advertisingReports([report]).packet().dropFirst())
        _ = (driver ?? self.driver).scannerDidReceive(bytes.span.bytes, at: nanoseconds(second))
    }

    private func due(at second: Double, _ driver: PresenceDriver? = nil) -> String? {
        (driver ?? self.driver).batteryReadingBegan(at: Instant(nanoseconds: nanoseconds(second)))?.address
    }

    @Test func `A beacon is due once a day, whether it can be read or not`() throws {
        #expect(due(at: 1) == nil)
        try receive(until: 10)
        let beacon = try #require(driver.batteryReadingBegan(at: Instant(nanoseconds: nanoseconds(11))))
        #expect(beacon.identity == home && beacon.region == "home" && beacon.address == "AC:23:3F:00:00:01")
        try receive(until: 100)
        #expect(due(at: 100) == nil)
        try receive(until: Self.day + 10)
        #expect(due(at: Self.day + 10) == nil)
        try receive(until: Self.day + 20)
        #expect(due(at: Self.day + 20) != nil)
    }

    @Test func `A level that was received in the last day makes a reading needless`() throws {
        try receive(until: 10)
        try receive([4, 0x16, 0x0F, 0x18, 50], at: 11, [.legacy])
        #expect(due(at: 12) == nil)
        try receive(until: Self.day + 12)
        #expect(due(at: Self.day + 12) == "AC:23:3F:00:00:01")
        driver.batteryRead(home, percent: 49, at: Instant(nanoseconds: nanoseconds(Self.day + 13)))
        let level = driver.snapshot(at: Instant(nanoseconds: nanoseconds(Self.day + 14))).batteries[0]
        #expect(level?.percent == 49 && level?.source == .gatt)
    }

    @Test func `A restart does not repeat a reading`() throws {
        driver.restore([], readings: [home: Instant(nanoseconds: -nanoseconds(Self.day - 100))])
        try receive(until: 10)
        #expect(due(at: 11) == nil)
        try receive(until: 101)
        #expect(due(at: 101) != nil)
    }

    @Test func `A weak beacon, one that takes no connections and one that has gone are not due`() throws {
        try receive(until: 10, rssi: -90)
        #expect(due(at: 11) == nil)
        try receive(until: 110, [.legacy])
        #expect(due(at: 111) == nil)
        try receive([3, 9, 0x4B, 0x65], at: 112, [.legacy, .connectable])
        _ = driver.scannerDidFinishTurn(at: nanoseconds(150))
        #expect(due(at: 150) == nil, "the region is left after 30 s")
        try receive(until: 160, [.legacy])
        #expect(due(at: 160) != nil, "another frame offered connections")
    }

    @Test func `Invented beacons cause a bounded number of connections`() throws {
        var batteries = BeaconBatteries()
        for minor in UInt16(0)..<100 {
            let identity = BeaconIdentity(uuid: home.uuid, major: 1, minor: minor)
            let isDue = minor < BeaconBatteries.capacity
            #expect(batteries.isDue(identity, Instant(nanoseconds: 0)) == isDue)
            batteries.readingBegan(identity, at: Instant(nanoseconds: 0))
        }
        #expect(batteries.readings.count == BeaconBatteries.capacity)
        batteries.expire(at: Instant(nanoseconds: nanoseconds(Self.day)))
        #expect(batteries.readings.isEmpty)
    }

    @Test(arguments: [MonitoredRegion.Battery.advertised, .off])
    func `Other regions are never read`(battery: MonitoredRegion.Battery) throws {
        let driver = Self.driver(battery)
        try receive(until: 10, [.legacy, .connectable, .scannable], driver)
        #expect(due(at: 11, driver) == nil)
    }
}
