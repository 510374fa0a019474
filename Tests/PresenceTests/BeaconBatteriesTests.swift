import HCI
import IBeacon
import OkaeriBluetooth
import OkaeriDaemonTestSupport
import OkaeriPlumbing
import OkaeriTestSupport
import RegionMonitoring
import Synchronization
import Testing

@testable import OkaeriPresence

@Suite struct BeaconBatteriesTests {
    private struct Clock: WallClock {
        func wallTime(of instant: Instant) -> Int64 { instant.nanoseconds }
        var now: Int64 { 0 }
    }

    private let driver: PresenceDriver

    init() { driver = Self.driver([monitored()]) }

    private static func driver(_ regions: [MonitoredRegion]) -> PresenceDriver {
        let driver = PresenceDriver(regions: regions, clock: Clock(), handler: { _, _, _ in }, publish: { _, _ in })
        driver.scannerWillStart(at: 0)
        driver.scannerDidChangeListening(.continuous, at: 0)
        return driver
    }

    private static let sender = "AC:23:3F:00:00:01"

    private func receive(
        _ data: [UInt8], from address: String = sender, at second: Double, _ driver: PresenceDriver? = nil
    ) throws {
        let address = try #require(BluetoothAddress(address))
        let event = try HCIEvent.advertisingReports([AdvertisingReport(address: address, rssi: -70, data: data)])
        let bytes = Array(try event.packet().dropFirst())
        _ = (driver ?? self.driver).scannerDidReceive(bytes.span.bytes, at: nanoseconds(second))
    }

    private func beacon(_ identity: BeaconIdentity = home) -> [UInt8] {
        IBeaconFrame(identity: identity, measuredPower: -59).advertisingData
    }

    /// Service data of the Battery Service.
    private func battery(_ percent: UInt8) -> [UInt8] { [4, 0x16, 0x0F, 0x18, percent] }

    private func levels(at second: Double, _ driver: PresenceDriver? = nil) -> [UInt8?] {
        (driver ?? self.driver).snapshot(at: Instant(nanoseconds: nanoseconds(second))).batteries.map(\.?.percent)
    }

    @Test func `A machine that passes receptions on has the levels of the beacons that are asked for`() throws {
        let stranger = BeaconIdentity(uuid: home.uuid, major: 900, minor: 9)
        try receive(beacon(stranger), at: 1)
        try receive(battery(40), at: 2)
        #expect(driver.batteries.levels.isEmpty, "it is of no region")
        driver.pass { _ in nil }
        try receive(beacon(stranger), at: 3)
        try receive(battery(40), at: 4)
        #expect(driver.batteries.levels.isEmpty, "it is not asked for")
        driver.pass { _ in stranger }
        try receive(beacon(stranger), at: 5)
        try receive(battery(40), at: 6)
        #expect(driver.batteries.levels.map(\.identity) == [stranger] && driver.batteries.levels.map(\.percent) == [40])
    }

    @Test func `A level that another radio received is the region's unless a later one is known`() {
        func report(_ percent: UInt8, _ identity: BeaconIdentity = home, at second: Double) {
            let time = Instant(nanoseconds: nanoseconds(second))
            driver.received(
                RadioReport(
                    from: time, until: time, share: 1, others: 0, receptions: [],
                    batteries: [
                        BeaconBattery(identity: identity, percent: percent, source: .advertised, received: time)
                    ]),
                byRadioNamed: "attic", at: time)
        }
        report(30, at: 10)
        #expect(levels(at: 10) == [30])
        report(29, at: 20)
        report(31, at: 15)
        #expect(levels(at: 20) == [29])
        report(5, BeaconIdentity(uuid: home.uuid, major: 900, minor: 9), at: 30)
        #expect(driver.batteries.levels.count == 1, "a level of no region is not stored")
    }

    @Test func `A beacon whose minor counts has one level, also from before its region had a mask`() throws {
        let mask = try #require(BeaconMask(minor: 0xFF00))
        let constraint = BeaconConstraint.minor(home.uuid, 1, 0x0200).masked(by: mask)
        func counting(_ value: UInt16) -> BeaconIdentity {
            BeaconIdentity(uuid: home.uuid, major: 1, minor: 0x0200 | value)
        }
        let driver = Self.driver([
            MonitoredRegion(BeaconRegion(identifier: "tag", constraint: .major(home.uuid, 1)))
        ])
        for value in 1...3 as ClosedRange<UInt16> {
            try receive(beacon(counting(value)), at: Double(value), driver)
            try receive(battery(50 - UInt8(value)), at: Double(value) + 0.5, driver)
        }
        #expect(driver.batteries.levels.count == 3)
        driver.updateRegions(at: Instant(nanoseconds: nanoseconds(4))) {
            $0 = [MonitoredRegion(BeaconRegion(identifier: "tag", constraint: constraint))]
        }
        #expect(driver.batteries.levels.map(\.identity) == [counting(0)] && levels(at: 4, driver) == [47])
        try receive(beacon(counting(4)), at: 5, driver)
        try receive(battery(60), at: 6, driver)
        #expect(levels(at: 6, driver) == [60], "a new battery")
        let time = Instant(nanoseconds: nanoseconds(7))
        let level = BeaconBattery(identity: counting(9), percent: 20, source: .advertised, received: time)
        driver.received(
            RadioReport(from: time, until: time, share: 1, others: 0, receptions: [], batteries: [level]),
            byRadioNamed: "attic", at: time)
        #expect(driver.batteries.levels.map(\.identity) == [counting(0)] && levels(at: 7, driver) == [20])
    }

    @Test func `The level in another frame of the beacon's address is the region's`() throws {
        #expect(levels(at: 1) == [nil])
        try receive(battery(40), at: 1)
        #expect(levels(at: 1) == [nil], "the address is not known yet")
        try receive(beacon(), at: 2)
        try receive(battery(12), from: "AC:23:3F:00:00:02", at: 3)
        #expect(levels(at: 3) == [nil], "the level of another device")
        try receive(battery(12), at: 4)
        try receive(battery(11), at: 5)
        let level = try #require(driver.snapshot(at: Instant(nanoseconds: nanoseconds(6))).batteries[0])
        #expect(
            level
                == BeaconBattery(
                    identity: home, percent: 11, source: .advertised,
                    received: Instant(nanoseconds: nanoseconds(5))))
    }

    @Test func `An address belongs to a beacon for a minute after its last frame`() throws {
        try receive(beacon(), at: 1)
        try receive(battery(80), at: 61)
        #expect(levels(at: 61) == [80])
        try receive(battery(70), at: 61.001)
        #expect(levels(at: 62) == [80])
        try receive(beacon(), at: 63)
        try receive(battery(70), at: 64)
        #expect(levels(at: 64) == [70])
    }

    @Test func `A beacon without a region, and a region that ignores batteries, have no level`() throws {
        try receive(beacon(neighbour), at: 1)
        try receive(battery(50), at: 2)
        #expect(driver.batteries.levels.isEmpty)
        var region = monitored()
        region.battery = .off
        let other = Self.driver([region])
        try receive(beacon(), at: 1, other)
        try receive(battery(50), at: 2, other)
        #expect(other.batteries.levels.isEmpty)
    }

    @Test func `A region has the lowest level of its beacons, and a level is dropped after a month`() throws {
        let all = MonitoredRegion(BeaconRegion(identifier: "all", constraint: .uuid(home.uuid)))
        let driver = Self.driver([monitored(), all])
        let second = BeaconIdentity(uuid: home.uuid, major: 7, minor: 8)
        for (identity, address, percent) in [(home, "00:00:00:00:00:01", 60), (second, "00:00:00:00:00:02", 9)] {
            try receive(beacon(identity), from: address, at: 1, driver)
            try receive(battery(UInt8(percent)), from: address, at: 2, driver)
        }
        #expect(levels(at: 3, driver) == [60, 9])
        let month = 30.0 * 86_400
        #expect(levels(at: month + 2, driver) == [60, 9])
        #expect(levels(at: month + 3, driver) == [nil, nil])
        #expect(driver.batteries.levels.isEmpty)
    }

    @Test func `A region of several signs has the lowest level of all of them`() throws {
        let second = BeaconIdentity(uuid: home.uuid, major: 7, minor: 8)
        let signs = [home, second].map { RegionSign(.beacon(.minor($0.uuid, $0.major, $0.minor))) }
        let driver = Self.driver([MonitoredRegion(identifier: "anna", signs[0], or: [signs[1]])])
        for (identity, address, percent) in [(home, "00:00:00:00:00:01", 60), (second, "00:00:00:00:00:02", 9)] {
            try receive(beacon(identity), from: address, at: 1, driver)
            try receive(battery(UInt8(percent)), from: address, at: 2, driver)
        }
        #expect(levels(at: 3, driver) == [9])
        let named = driver.regionBatteries(at: Instant(nanoseconds: nanoseconds(3)))
        #expect(named.mapValues(\.percent) == ["anna": 9])
    }

    @Test func `Invented addresses and beacons take a bounded amount of memory`() throws {
        let all = MonitoredRegion(BeaconRegion(identifier: "all", constraint: .uuid(home.uuid)))
        let driver = Self.driver([all])
        for number in UInt16(0)..<500 {
            let address =
                "02:00:00:00:\(hexadecimal(UInt8(number >> 8), prefix: "")):\(hexadecimal(UInt8(number & 0xFF), prefix: ""))"
            let identity = BeaconIdentity(uuid: home.uuid, major: 1, minor: number)
            try receive(beacon(identity), from: address, at: Double(number), driver)
            try receive(battery(50), from: address, at: Double(number), driver)
        }
        #expect(driver.batteries.levels.count == BeaconBatteries.capacity)
        #expect(driver.batteries.levels.allSatisfy { $0.identity.minor >= 500 - UInt16(BeaconBatteries.capacity) })
    }

    @Test func `An anonymous advertiser has no level`() throws {
        try receive(beacon(), from: "00:00:00:00:00:00", at: 1)
        try receive(battery(50), from: "00:00:00:00:00:00", at: 2)
        #expect(levels(at: 3) == [nil])
    }

    @Test func `A restored level remains until the beacon sends another one`() throws {
        let driver = PresenceDriver(
            regions: [monitored()], clock: Clock(), handler: { _, _, _ in }, publish: { _, _ in })
        driver.restore([
            BeaconBattery(
                identity: home, percent: 33, source: .advertised, received: Instant(nanoseconds: -nanoseconds(60)))
        ])
        driver.scannerWillStart(at: 0)
        driver.scannerDidChangeListening(.continuous, at: 0)
        #expect(levels(at: 1, driver) == [33])
        try receive(beacon(), at: 2, driver)
        try receive(battery(32), at: 3, driver)
        #expect(levels(at: 4, driver) == [32])
    }
}
