import IBeacon
import OkaeriTestSupport
import RegionMonitoring
import Testing

/// Several devices with one identity, such as a factory's.
@Suite struct TwinTests {
    private var monitor = listening(region())

    private mutating func hear(_ address: UInt64, at second: Double, by radio: RadioID = .own) {
        var sighting = beacon()
        (sighting.address, sighting.radio) = (address, radio)
        _ = monitor.sighted(sighting, at: at(second))
    }

    private func transmitters() -> Int { monitor.beaconSnapshots(since: at(0)).map(\.transmitters).max() ?? 0 }

    @Test mutating func `two devices with one identity are noticed by their addresses, which take turns`() {
        for second in 0..<30 {
            hear(1, at: Double(second))
            hear(2, at: Double(second) + 0.4)
        }
        #expect(transmitters() == 1, "too little is received")
        for second in 30..<40 {
            hear(1, at: Double(second))
            hear(2, at: Double(second) + 0.4)
        }
        #expect(transmitters() == 2)
        #expect(monitor.judgements(at: at(40), limit: 8)[0].map(\.beacon.transmitters) == [2])
    }

    @Test mutating func `a device that changes its private address stays one`() {
        for second in 0..<20_000 { hear(UInt64(second / 900 + 1), at: Double(second)) }
        #expect(transmitters() == 1)
        for second in 20_000..<60_000 { hear(UInt64(second), at: Double(second)) }
        #expect(transmitters() == 1, "a new address for each advertisement")
    }

    @Test mutating func `a device that changes its private address beside a fixed one makes two`() {
        for second in 0..<3000 {
            hear(7, at: Double(second))
            hear(UInt64(second / 900 + 100), at: Double(second) + 0.3)
            if second % 900 > 70 { #expect(transmitters() == 2, "at \(second) s") }
        }
    }

    @Test mutating func `three devices are three, and one that leaves does not count any more`() {
        for second in 0..<120 {
            for device in 1...3 { hear(UInt64(device), at: Double(second) + Double(device) / 4) }
        }
        #expect(transmitters() == 3)
        for second in 120..<300 { hear(1, at: Double(second)) }
        #expect(transmitters() == 1)
    }

    @Test mutating func `receptions by several radios are not several devices`() {
        let attic = monitor.radio(named: "attic", at: at(0))
        _ = monitor.adapterRecovered(attic, at: at(0))
        for second in 0..<200 {
            hear(1, at: Double(second))
            hear(0, at: Double(second) + 0.2, by: attic)
        }
        #expect(transmitters() == 1)
        #expect(monitor.beaconSnapshots(since: at(0)).first?.receptions.count == 2)
    }

    @Test mutating func `a single foreign frame with the identity is not a device`() {
        for second in 0..<300 { hear(1, at: Double(second)) }
        for second in 300..<304 { hear(2, at: Double(second)) }
        for second in 304..<400 { hear(1, at: Double(second)) }
        #expect(transmitters() == 1)
    }

    @Test mutating func `invented addresses prove nothing`() {
        var generator = SeededGenerator(seed: 5)
        for step in 0..<50_000 { hear(.random(in: 1 ... .max, using: &generator), at: Double(step) / 50) }
        #expect(transmitters() == 1)
    }
}

/// Beacons whose identity changes.
@Suite struct ChangingIdentityTests {
    private var monitor = listening(region("exact", .minor(uuid, 100, 57)))

    private mutating func hear(
        _ minor: UInt16, major: UInt16 = 100, uuid owner: BeaconUUID = uuid, from address: UInt64 = 1, at second: Double
    ) {
        _ = monitor.sighted(
            BeaconSighting(
                identity: BeaconIdentity(uuid: owner, major: major, minor: minor), measuredPower: -59, rssi: -60,
                address: address), at: at(second))
    }

    /// The masks of the beacons that are received, by their minors.
    private func masks() -> [UInt16: BeaconMask] {
        monitor.beaconSnapshots(since: at(0)).reduce(into: [:]) { $0[$1.identity.minor] = $1.proposedMask }
    }

    @Test mutating func `a battery level in the minor is noticed when it changes`() {
        for second in 0..<100 { hear(57, at: Double(second)) }
        #expect(masks().isEmpty)
        for second in 100..<120 { hear(56, at: Double(second)) }
        #expect(masks().isEmpty, "it may be a second identity of the device")
        for second in 120..<140 { hear(56, at: Double(second)) }
        #expect(masks() == [57: BeaconMask(minor: 0xFF00), 56: BeaconMask(minor: 0xFF00)])
        #expect(monitor.judgements(at: at(140), limit: 8)[0].map(\.beacon.proposedMask) == [BeaconMask(minor: 0xFF00)])
        // Between two levels it goes to and fro.
        for second in 140..<180 { hear(57, at: Double(second)) }
        #expect(masks().count == 2)
    }

    @Test mutating func `a device that sends several identities at once does not change its identity`() {
        for second in 0..<300 {
            hear(57, at: Double(second))
            hear(56, at: Double(second) + 0.5)
        }
        #expect(masks().isEmpty)
    }

    @Test mutating func `a counter is noticed within seconds`() {
        for second in 0..<7 { hear(0x1200 + UInt16(second), at: Double(second)) }
        #expect(masks().count == 7 && masks()[0x1203] == BeaconMask(minor: 0xFF00))
    }

    @Test mutating func `of a flood of identities the latest are compared`() {
        for second in 0..<7 { hear(0x1200 + UInt16(second), at: Double(second)) }
        for stranger in 0..<300 {
            let uuid = BeaconUUID(high: UInt64(stranger), low: 0)
            hear(1, uuid: uuid, from: UInt64(stranger) + 10, at: 7 + Double(stranger) / 1000)
        }
        #expect(masks().isEmpty, "the others were received later")
        for second in 0..<7 { hear(0x3400 + UInt16(second), from: 2, at: 8 + Double(second)) }
        #expect(masks().count == 7 && masks()[0x3403] == BeaconMask(minor: 0xFF00))
    }

    @Test mutating func `the major and the last byte of the UUID are noticed as well`() {
        for second in 0..<80 {
            let last = uuid.low ^ UInt64(second / 20)
            hear(1, uuid: BeaconUUID(high: uuid.high, low: last), from: 2, at: Double(second))
            hear(2, major: 0x0100 + UInt16(second / 20) << 8, from: 3, at: Double(second))
        }
        #expect(
            masks() == [
                1: BeaconMask(uuid: BeaconUUID(high: .max, low: ~0xFF)), 2: BeaconMask(major: 0x00FF),
            ])
    }

    @Test mutating func `identities that differ in more than eight bits are those of different beacons`() {
        for second in 0..<80 { hear(second < 40 ? 0 : 0x1FF, at: Double(second)) }
        #expect(masks().isEmpty)
    }

    @Test mutating func `a beacon that arrives when another one leaves is another one`() {
        for second in 0..<300 {
            let minor = UInt16(second / 60)
            hear(minor, from: UInt64(minor) + 10, at: Double(second))
        }
        #expect(masks().isEmpty)
    }

    @Test mutating func `a beacon that changes its address as well is noticed after several changes`() {
        for second in 0..<280 {
            let minor = UInt16(second / 40)
            hear(0x4200 + minor, from: UInt64(minor) + 10, at: Double(second))
        }
        #expect(masks().count == 7 && masks()[0x4206] == BeaconMask(minor: 0xFF00))
    }
}
