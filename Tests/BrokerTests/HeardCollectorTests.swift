import HCI
import IBeacon
import OkaeriPlumbing
import OkaeriPresence
import RegionMonitoring
import Synchronization
import Testing

@testable import OkaeriHouse

/// The receptions that a receiver collects for the hub.
@Suite struct HeardCollectorTests {
    private final class Count: Sendable {
        private let count = Mutex(0)
        var value: Int { count.withLock(\.self) }
        func increment() { count.withLock { $0 += 1 } }
    }

    private let found = Count()
    private let collector: HeardCollector

    init() {
        let found = found
        collector = HeardCollector { found.increment() }
    }

    private static func instant(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

    private func want(_ beacons: String..., phones: Bool = false) throws {
        var wanted = WantedBeacons([MonitoredRegion]())
        wanted.beacons = try beacons.map { try #require(BeaconConstraint("\(HouseBench.uuid)/\($0)")) }
        wanted.phones = phones
        collector.wanted(wanted)
    }

    private func beacon(_ major: UInt16, _ minor: UInt16, at seconds: Double, rssi: Int8? = -60) throws {
        let identity = BeaconIdentity(uuid: try #require(BeaconUUID(HouseBench.uuid)), major: major, minor: minor)
        collector.received(
            Reception(.beacon(identity, measuredPower: -59), rssi: rssi, at: Self.instant(seconds)))
    }

    private func device(_ address: String, _ type: BluetoothAddressType, at seconds: Double) throws {
        collector.received(
            Reception(.device(try #require(BluetoothAddress(address)), type), rssi: -70, at: Self.instant(seconds)))
    }

    private func take(at seconds: Double, listened: Double = 0) -> HeardMessage? {
        collector.take(at: Self.instant(seconds), listened: .seconds(listened))
    }

    @Test func `Nothing is collected, counted or sent while no hub wants anything`() throws {
        try beacon(1, 1, at: 1)
        try device("5A:00:00:00:00:01", .random, at: 1)
        #expect(take(at: 2) == nil && found.value == 0 && !collector.isAwaited(at: Self.instant(2)))
        try want("1")
        #expect(take(at: 3)?.entries == [] && take(at: 3)?.others == 0)
        try beacon(1, 1, at: 4)
        collector.wanted(nil)
        #expect(take(at: 5) == nil && !collector.isAwaited(at: Self.instant(5)))
        try want("1")
        #expect(take(at: 6)?.entries == [], "what was received before is out of date")
    }

    @Test func `A beacon whose minor counts is one sender, under the identity of its region's mask`() throws {
        try want("1/512:FF00")
        for second in 0..<20 { try beacon(1, 0x0200 | UInt16(second), at: Double(second) / 10) }
        let message = try #require(take(at: 2))
        let owner = try #require(BeaconUUID(HouseBench.uuid))
        let expected = BeaconIdentity(uuid: owner, major: 1, minor: 0x0200)
        #expect(message.entries.map(\.sender) == [.beacon(expected, measuredPower: -59)])
        #expect(message.entries.first?.samples.count == 20 && found.value == 1)
    }

    @Test func `Only wanted beacons are sent, and other devices are counted once`() throws {
        try want("1", "2/7")
        for second in [1.0, 1.25] {
            for (major, minor) in [(1, 1), (2, 7), (2, 8), (3, 1)] as [(UInt16, UInt16)] {
                try beacon(major, minor, at: second)
            }
            try device("C0:00:00:00:00:01", .random, at: second)
            try device("00:00:00:00:00:02", .public, at: second)
        }
        let message = try #require(take(at: 1.5))
        #expect(message.others == 4)
        #expect(message.entries.count == 2)
        for entry in message.entries {
            #expect(entry.samples == [.init(rssi: -60, age: 0.5), .init(rssi: -60, age: 0.25)])
        }
        #expect(take(at: 2)?.entries == [] && take(at: 2)?.others == 0)
    }

    @Test func `The levels of wanted beacons are sent once a minute, each once`() throws {
        let uuid = try #require(BeaconUUID(HouseBench.uuid))
        func level(_ major: UInt16, _ percent: UInt8, at seconds: Double) -> BeaconBattery {
            BeaconBattery(
                identity: BeaconIdentity(uuid: uuid, major: major, minor: 1), percent: percent, source: .advertised,
                received: Self.instant(seconds))
        }
        func sent(_ levels: [BeaconBattery], at seconds: Double) -> [HeardMessage.Level]? {
            collector.take(at: Self.instant(seconds), listened: .zero, levels: { levels })?.levels
        }
        try want("1")
        let first = [level(1, 80, at: 9), level(2, 70, at: 9)]
        #expect(
            sent(first, at: 10) == [
                .init(beacon: BeaconIdentity(uuid: uuid, major: 1, minor: 1), percent: 80, age: 1)
            ])
        #expect(sent([level(1, 79, at: 20)], at: 30) == [])
        #expect(sent([level(1, 79, at: 20)], at: 71)?.map(\.percent) == [79])
        #expect(sent([level(1, 79, at: 20)], at: 140) == [], "it was sent")
    }

    @Test func `Only resolvable random addresses are sent, and only if phones are wanted`() throws {
        let addresses: [(String, BluetoothAddressType)] = [
            ("5A:00:00:00:00:01", .random), ("5A:00:00:00:00:02", .public), ("C0:00:00:00:00:03", .random),
            ("1A:00:00:00:00:04", .random),
        ]
        try want("1")
        for (address, type) in addresses { try device(address, type, at: 1) }
        #expect(take(at: 2)?.entries == [])
        try want("1", phones: true)
        for (address, type) in addresses { try device(address, type, at: 3) }
        let message = try #require(take(at: 4))
        let phone = try #require(BluetoothAddress("5A:00:00:00:00:01"))
        #expect(message.entries.map(\.sender) == [.device(phone, .random)])
        #expect(message.others == 3)
    }

    @Test func `Messages are numbered, and each tells its time and the listened share`() throws {
        try want("1")
        let first = try #require(take(at: 10, listened: 4))
        #expect(first.number == 1 && first.span == 10...10 && first.share == 0)
        let second = try #require(take(at: 12, listened: 5))
        #expect(second.number == 2 && second.span == 10...12 && second.share == 0.5)
        // A counter that began again.
        #expect(take(at: 13, listened: 1)?.share == 0)
        #expect(take(at: 14, listened: 9)?.share == 1)
    }

    @Test func `Too many receptions are thinned evenly to 256`() throws {
        try want("1")
        for step in 0..<1000 {
            for minor in [1, 2] as [UInt16] { try beacon(1, minor, at: 1 + Double(step) / 1000) }
        }
        let message = try #require(take(at: 2))
        #expect(message.entries.map(\.samples.count).reduce(0, +) == 256)
        for entry in message.entries {
            #expect(126...130 ~= entry.samples.count)
            let ages = entry.samples.map(\.age)
            let gaps = zip(ages, ages.dropFirst()).map { $0 - $1 }
            #expect(gaps.allSatisfy { $0 > 0 && $0 < 0.012 } && ages[0] > 0.98 && (ages.last ?? 1) < 0.02)
        }
    }

    @Test func `Senders and receptions between two messages are bounded`() throws {
        try want("1")
        for minor in 0..<1000 as Range<UInt16> { try beacon(1, minor, at: 1) }
        #expect(take(at: 2)?.entries.count == 256)
        for minor in 0..<10_000 as Range<UInt16> { try beacon(1, minor % 4, at: 3) }
        #expect(take(at: 4)?.entries.reduce(0) { $0 + $1.samples.count } == 256)
        for minor in 0..<1000 as Range<UInt16> { try beacon(9, minor, at: 5) }
        #expect(take(at: 6)?.others == 64)
        // A beacon of a house full of invented ones is still sent.
        try beacon(1, 5000, at: 7)
        #expect(take(at: 8)?.entries.count == 1)
    }

    @Test func `Beyond a limit of senders a further one is not reported at once`() throws {
        let found = Mutex(0)
        let collector = HeardCollector(isNew: { found.withLock { $0 += 1 } })
        collector.wanted(WantedBeacons(Array("{\"beacons\":[{\"uuid\":\"\(HouseBench.uuid)\"}]}".utf8)))
        let uuid = try #require(BeaconUUID(HouseBench.uuid))
        for minor in UInt16(0)..<5000 {
            let beacon = BeaconIdentity(uuid: uuid, major: 1, minor: minor)
            collector.received(
                Reception(.beacon(beacon, measuredPower: -59), rssi: -60, at: Instant(nanoseconds: Int64(minor))))
            _ = collector.take(at: Instant(nanoseconds: Int64(minor)), listened: .zero)
        }
        #expect(found.withLock(\.self) == 1024)
    }

    @Test func `A sender is new if it was not received for ten seconds`() throws {
        try want("1")
        for second in stride(from: 1.0, through: 30, by: 1) { try beacon(1, 1, at: second) }
        #expect(found.value == 1)
        try beacon(1, 2, at: 30)
        #expect(found.value == 2)
        try beacon(1, 1, at: 40)
        #expect(found.value == 2)
        try beacon(1, 1, at: 50.1)
        #expect(found.value == 3)
        try beacon(2, 1, at: 51)
        #expect(found.value == 3, "it is not wanted")
    }

    @Test func `The hub waits for each second until two minutes after the last reception`() throws {
        try want("1")
        #expect(!collector.isAwaited(at: Self.instant(1)))
        try beacon(1, 1, at: 1)
        _ = take(at: 2)
        #expect(collector.isAwaited(at: Self.instant(120)))
        #expect(!collector.isAwaited(at: Self.instant(121)))
        try beacon(2, 1, at: 121)
        #expect(!collector.isAwaited(at: Self.instant(122)), "it is not wanted")
    }
}
