import COkaeriAllocations
import HCI
import IBeacon
import OkaeriBluetooth
import OkaeriPlumbing
import OkaeriPresence
import RegionMonitoring

/// Scenes that the uniform traffic of ``PipelineRun`` lacks: slow tags, ranging, strangers among phones, and a house of several radios.
struct SceneRun {
    /// The traffic of a scene.
    enum Scene {
        /// Regions with one tag each, which is received once in so many seconds; one of ten advertisements is lost.
        case tags(regions: Int, seconds: Int)
        /// Regions with one beacon each that advertises once a second, among 450 beacons without a region; ranged, or to compare not.
        case ranging(regions: Int, isOn: Bool)
        /// Phones with a region each, and for each report of a phone twenty of addresses that never come again.
        case strangers(phones: Int)
        /// Regions with one beacon each that advertises once a second, received by three of so many radios that report once a second.
        case house(radios: Int, regions: Int)

        /// A scene by its words in the command line.
        init?(_ words: some Sequence<String>) {
            let words = Array(words)
            let numbers = words.dropFirst().compactMap { Int($0) }
            switch (words.first, numbers.count) {
            case ("tags", 2): self = .tags(regions: numbers[0], seconds: numbers[1])
            case ("ranging", 1): self = .ranging(regions: numbers[0], isOn: true)
            case ("unranged", 1): self = .ranging(regions: numbers[0], isOn: false)
            case ("strangers", 1): self = .strangers(phones: numbers[0])
            case ("house", 2): self = .house(radios: numbers[0], regions: numbers[1])
            default: return nil
            }
        }
    }

    private static let strangersEach = 20
    private static let listeners = 3

    private let scene: Scene
    private var pipeline: PresencePipeline
    private var radios: [RadioID] = []
    private var ciphers: [AES128] = []
    private var now = Instant(nanoseconds: 0)
    private var packets: [[UInt8]] = []
    private var dice = UInt64(1)
    private var turn = 0
    /// The reports, and the events of regions.
    private var reports = 0, events = 0

    init(_ scene: Scene) {
        self.scene = scene
        var regions: [MonitoredRegion] = []
        var beacons: [BeaconIdentity] = []
        var keys: [IdentityResolvingKey] = []
        func add(_ count: Int, ranging: MonitoredRegion.Ranging = .off) {
            for number in 0..<count {
                let identity = BeaconIdentity(
                    uuid: BeaconUUID(high: 0x1234_5678, low: UInt64(number / 10)), major: 1, minor: UInt16(number))
                beacons.append(identity)
                let constraint = BeaconConstraint(uuid: identity.uuid, major: identity.major, minor: identity.minor)
                let region = BeaconRegion(identifier: "region \(number)", constraint: constraint)
                regions.append(MonitoredRegion(region, ranging: ranging))
            }
        }
        switch scene {
        case .tags(let count, _), .house(_, let count): add(count)
        case .ranging(let count, let isOn):
            add(count, ranging: isOn ? .whileInside : .off)
            for number in 0..<450 {
                let uuid = BeaconUUID(high: 0x8765_4321, low: UInt64(number))
                beacons.append(BeaconIdentity(uuid: uuid, major: 2, minor: UInt16(number)))
            }
        case .strangers(let count):
            for phone in 0..<count {
                regions.append(MonitoredRegion(identifier: "phone \(phone)", RegionSign(.phone(file: "\(phone)"))))
                // The same in each run: by chance, a stranger may resolve with one.
                IdentityResolvingKey((1...16).map { UInt8(truncatingIfNeeded: 37 * phone + 11 * $0) }).map {
                    keys.append($0)
                }
            }
        }
        var monitor = RegionMonitor(regions, at: now)
        _ = monitor.monitoringStarted(at: now)
        _ = monitor.adapterRecovered(at: now)
        if case .house(let count, _) = scene {
            radios = [.own]
            for number in 1..<max(2, count) { radios.append(monitor.radio(named: "radio \(number)", at: now)) }
        }
        pipeline = PresencePipeline(monitor)
        pipeline.phones = AddressResolver(keys.map { DeviceIdentity(key: $0) })
        ciphers = keys.map { AES128($0) }
        packets = beacons.enumerated().map { Self.packet($1, address: 0xC000_0000_0000 | UInt64($0)) }
        if case .strangers = scene { packets = [Self.packet(nil, address: 0)] }
    }

    /// The seconds after which all is learned that a scene needs.
    private var settling: Int {
        if case .tags = scene { 600 } else { 150 }
    }

    /// Runs the scene for some seconds after it has settled. Returns nanoseconds of the processor's time a report, allocations,
    /// reports, and events of regions.
    mutating func measure(seconds: Int) -> String {
        run(seconds: settling)
        (reports, events) = (0, 0)
        let (allocations, start) = (allocations_so_far(), PipelineRun.processorTime)
        run(seconds: seconds)
        let duration = PipelineRun.processorTime - start
        return "\(duration / Double(max(1, reports))) \(allocations_so_far() - allocations) \(reports) \(events)"
    }

    private mutating func run(seconds: Int) {
        for _ in 0..<seconds {
            turn += 1
            let second = Instant(nanoseconds: Int64(turn) * Nanoseconds.second)
            switch scene {
            case .tags(_, let interval): receiveBeacons(every: interval, from: second, losing: 10)
            case .ranging: receiveBeacons(every: 1, from: second, losing: 0)
            case .strangers: receivePhones(from: second)
            case .house: receiveReports(until: second)
            }
        }
    }

    /// Those beacons that advertise in this second, spread over it, each some milliseconds early or late.
    private mutating func receiveBeacons(every interval: Int, from second: Instant, losing share: UInt64) {
        let due = stride(from: turn % interval, to: packets.count, by: interval)
        let spacing = Nanoseconds.second / Int64(packets.count / interval + 1)
        for (place, beacon) in due.enumerated() {
            guard share == 0 || random(share) > 0 else { continue }
            let time = second.nanoseconds + Int64(place) * spacing + Int64(random(UInt64(spacing)))
            receive(beacon, rssi: -60 - Int8(random(20)), at: time)
        }
    }

    private mutating func receivePhones(from second: Instant) {
        let spacing = Nanoseconds.second / Int64(ciphers.count * (Self.strangersEach + 1) + 1)
        var time = second.nanoseconds
        for phone in ciphers.indices {
            // Another address every minute.
            let part = UInt32(truncatingIfNeeded: 0x40_0000 + turn / 60 * 100 + phone)
            setAddress(UInt64(part) << 24 | UInt64(ciphers[phone].hash(part)))
            receive(0, rssi: -70, at: time)
            for _ in 0..<Self.strangersEach {
                time += spacing
                setAddress(0x4000_0000_0000 | random(1 << 46))
                receive(0, rssi: -80, at: time)
            }
        }
    }

    /// Each radio reports of the second before, with its receptions in order of time.
    private mutating func receiveReports(until second: Instant) {
        let count = packets.count
        runTimer(until: second)
        for (place, radio) in radios.enumerated() {
            let start = Instant(nanoseconds: second.nanoseconds - Nanoseconds.second)
            if radio != .own { events += pipeline.monitor.reportBegan(radio, from: start, share: 1).count }
            for beacon in 0..<count where (place + radios.count - beacon % radios.count) % radios.count < Self.listeners
            {
                let offset = Int64(beacon) * (Nanoseconds.second / Int64(count + 1))
                let time = Instant(nanoseconds: start.nanoseconds + offset)
                let identity = BeaconIdentity(
                    uuid: BeaconUUID(high: 0x1234_5678, low: UInt64(beacon / 10)), major: 1, minor: UInt16(beacon))
                let reception = Reception(
                    .beacon(identity, measuredPower: -59), rssi: -60 - Int8(random(20)), at: time)
                if radio != .own { pipeline.monitor.reported(radio, until: time) }
                events += pipeline.received(reception, by: radio, handler: nil).count
                reports += 1
            }
            if radio != .own { pipeline.monitor.reported(radio, until: second) }
        }
    }

    private mutating func receive(_ packet: Int, rssi: Int8, at time: Int64) {
        now.nanoseconds = time
        runTimer(until: now)
        packets[packet][packets[packet].count - 1] = UInt8(bitPattern: rssi)
        let event = packets[packet]
        events += pipeline.received(event: event.span.bytes, at: now).count
        reports += 1
    }

    private mutating func runTimer(until end: Instant) {
        while let deadline = pipeline.monitor.nextDeadline, deadline <= end {
            events += pipeline.monitor.advanced(to: deadline).count
        }
    }

    private mutating func random(_ bound: UInt64) -> UInt64 {
        // The high bits of a linear congruential generator (Knuth).
        dice = dice &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (dice >> 17) % bound
    }

    private mutating func setAddress(_ address: UInt64) {
        var packet = packets[0].mutableSpan
        for byte in 0..<6 { packet[6 + byte] = UInt8(truncatingIfNeeded: address >> UInt64(8 * byte)) }
    }

    /// An event with one LE Advertising Report, from its event code on: an iBeacon, or a device without data.
    private static func packet(_ identity: BeaconIdentity?, address: UInt64) -> [UInt8] {
        var data: [UInt8] = []
        if let identity {
            data = [0x02, 0x01, 0x06, 0x1A, 0xFF, 0x4C, 0x00, 0x02, 0x15]
            for half in [identity.uuid.high, identity.uuid.low] {
                data += (0..<8).reversed().map { UInt8(truncatingIfNeeded: half >> UInt64(8 * $0)) }
            }
            for number in [identity.major, identity.minor] { data += [UInt8(number >> 8), UInt8(number & 0xFF)] }
            data.append(UInt8(bitPattern: -59))
        }
        let body: [UInt8] =
            [0x02, 0x01, 0x03, 0x01]
            + (0..<6).map { UInt8(truncatingIfNeeded: address >> UInt64(8 * $0)) } + [UInt8(data.count)] + data + [0]
        return [0x3E, UInt8(body.count)] + body
    }
}
